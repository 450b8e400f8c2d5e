//! How a study is run: what the file says, changed by the program.

use super::Study;
use crate::error::{Error, ErrorKind};
use crate::file::StudySection;
use crate::memory::Memory;
use crate::method::{Method, Stepping};
use crate::registry::{Formulation, Integrator, Sensitivity};
use gradyn_model::mechanism::Text;
use gradyn_model::{Coordinates, ModelError};

/// The name that leaves the choice of the sensitivity to the program, and what it is.
pub const AUTO: (&str, &str) =
    ("auto", "direct or adjoint, whichever is estimated to be cheaper; says which and why");

/// What a program chooses in place of what the file says.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    pub coordinates: Option<Coordinates>,
    formulation: Option<String>,
    integrator: Option<String>,
    sensitivity: Option<String>,
    stepping: Option<Stepping>,
    memory: Memory,
    options: Vec<(String, String)>,
}

/// Coordinates by name.
pub(super) fn coordinates(name: &str) -> Result<Coordinates, Error> {
    Coordinates::from_name(name).ok_or_else(|| {
        let valid = Coordinates::ALL.map(Coordinates::name).join(", ");
        Error::method(format!("there are no coordinates `{name}`"), format!("valid: {valid}"))
    })
}

/// A sensitivity by name; `auto` is one of the valid names.
fn sensitivity(name: &str) -> Result<Sensitivity, Error> {
    Sensitivity::parse_beside(name, &[AUTO.0])
}

impl Study {
    /// Equations of motion and integrator by name, in place of those of the file.
    pub fn method(&mut self, formulation: &str, integrator: &str) -> Result<&mut Self, Error> {
        self.formulation(formulation)?.integrator(integrator)
    }
    /// Equations of motion by name, in place of those of the file.
    pub fn formulation(&mut self, name: &str) -> Result<&mut Self, Error> {
        Formulation::parse(name)?;
        self.choice.formulation = Some(name.into());
        Ok(self)
    }
    /// Integrator by name, in place of that of the file.
    pub fn integrator(&mut self, name: &str) -> Result<&mut Self, Error> {
        Integrator::parse(name)?;
        self.choice.integrator = Some(name.into());
        Ok(self)
    }
    /// Sensitivity method by name, in place of that of the file; `auto` leaves it to the program.
    pub fn sensitivity(&mut self, name: &str) -> Result<&mut Self, Error> {
        if name != AUTO.0 {
            sensitivity(name)?;
        }
        self.choice.sensitivity = Some(name.into());
        Ok(self)
    }
    /// Fixed steps, or steps from tolerances, in place of those of the file.
    pub fn stepping(&mut self, stepping: Stepping) -> &mut Self {
        self.choice.stepping = Some(stepping);
        self
    }
    /// A budget for the records of each run [bytes]: some are kept and the others are made again when they
    /// are needed, every bit as without a budget.
    pub fn memory_limit(&mut self, bytes: usize) -> &mut Self {
        self.choice.memory.budget = Some(bytes);
        self
    }
    /// Memory of the machine that is free [bytes]: a run without a budget that needs more is refused before
    /// or while it goes on.
    pub fn memory_free(&mut self, bytes: usize) -> &mut Self {
        self.choice.memory.free = Some(bytes);
        self
    }
    /// An option of the method by name, after those of the file.
    pub fn option(&mut self, name: &str, value: &str) -> Result<&mut Self, Error> {
        Method::default().set(name, value)?;
        self.choice.options.push((name.into(), value.into()));
        Ok(self)
    }
    /// The method: that of the file, changed by what was chosen.
    pub fn chosen_method(&self) -> Result<Method, Error> {
        // study = [study] of the file, with the names that were chosen
        let choice = &self.choice;
        let mut study = self.file().study.clone();
        if let Some(f) = &choice.formulation {
            study.formulation = Some(f.as_str().into());
        }
        if let Some(i) = &choice.integrator {
            study.integrator = Some(i.as_str().into());
        }

        // names, steps and options of the file, each error at its place
        self.check_section(&study)?;
        let mut m = Method::from_study(&study).map_err(|e| self.locate(e))?;

        // what was chosen
        if let Some(stepping) = choice.stepping {
            m.stepping = stepping;
        }
        for (name, value) in &choice.options {
            m.set(name, value)?;
        }
        m.memory = choice.memory;
        m.check().map_err(|e| self.misfit(e, &m, &study))?;
        self.check_freedoms(&m, &study)?;
        Ok(m)
    }
    /// Every name of the section exists, and steps are either fixed or adaptive.
    fn check_section(&self, s: &StudySection) -> Result<(), Error> {
        // names of formulation, integrator and options
        if let Some(f) = &s.formulation {
            Formulation::parse(&f.text).map_err(|e| self.locate(e.at(&f.place)))?;
        }
        if let Some(i) = &s.integrator {
            Integrator::parse(&i.text).map_err(|e| self.locate(e.at(&i.place)))?;
        }
        for (name, value) in &s.options {
            Method::default().set(&name.text, value).map_err(|e| self.locate(e.at(&name.place)))?;
        }

        // steps
        let both = s.step.is_some() && (s.rtol.is_some() || s.atol.is_some());
        if self.choice.stepping.is_none() && both {
            let e = ModelError::new("study, method: both a step and tolerances are given");
            let help = "keep `step` for fixed steps, or `rtol` and `atol` for adaptive ones";
            return Err(self.locate(e.help(help)));
        }
        Ok(())
    }
    /// A method that does not exist, where the file asks for it.
    fn misfit(&self, e: Error, m: &Method, study: &StudySection) -> Error {
        let place = |t: &Option<Text>| t.as_ref().and_then(|t| t.place.clone());
        let named = place(&study.integrator).or_else(|| place(&study.formulation));
        match e {
            e if !m.formulation.fits(m.integrator) => self.locate(e.at(&named)),
            e if self.choice.stepping.is_some() => self.locate(e),
            e if study.tolerance_place.is_some() && matches!(e.kind, ErrorKind::Method) => {
                let message = format!("{}, but `method` in [study] gives tolerances", e.message);
                self.locate(Error { message, ..e }.at(&study.tolerance_place))
            }
            e => self.locate(e.at(&named)),
        }
    }
    /// Named independent coordinates of the file, each error at the name that it is about.
    fn check_freedoms(&self, m: &Method, study: &StudySection) -> Result<(), Error> {
        let listed = !self.choice.options.iter().any(|o| o.0 == "freedoms");
        self.prepared()?.check_freedoms(m).map_err(|e| {
            let named = |f: &&Text| e.subject.as_ref().is_some_and(|s| s.name == f.text);
            let name = study.freedoms.iter().find(named).or(study.freedoms.first());
            let place = name.and_then(|f| f.place.clone()).filter(|_| listed);
            self.locate(e.at(&place))
        })
    }
    /// The sensitivity method: the chosen one, that of the file, or the discrete adjoint; and why, if the
    /// program chooses it.
    pub fn chosen_sensitivity(&self) -> Result<(Sensitivity, Option<String>), Error> {
        let chosen = self.choice.sensitivity.as_deref().map(Text::from);
        let Some(asked) = chosen.or(self.file().study.sensitivity.clone()) else {
            return Ok((Sensitivity::DiscreteAdjoint, None));
        };
        if asked.text == AUTO.0 {
            let (choice, why) = self.prepared()?.auto();
            return Ok((choice, Some(why)));
        }
        let found = sensitivity(&asked.text).map_err(|e| self.locate(e.at(&asked.place)))?;
        Ok((found, None))
    }
}
