//! Templates: parts of a model that instances copy, before the reader sees the file.
//!
//! ```text
//! tree ─ library: templates, instances ─▶ sizes, scopes
//!      ─ copy: names, arguments, mirror ─▶ merge ─▶ tree without templates
//! ```
//!
//! Every copy is the template with {texts} filled in, its own names prefixed wherever they stand (`text`)
//! and, if it is mirrored, its vectors and signs changed (`copy`, `body`, `mirror`). Numbers that are
//! arguments become constants of the copy, vectors hard points. What comes out is a tree as if written by
//! hand, with places by which `origin` tells whose copy a mistake is in.
//!
//! Sizes are counted before anything is copied, so that a small file cannot ask for a huge model.

mod body;
mod copy;
mod event;
mod library;
mod merge;
mod mirror;
mod origin;
mod scope;
mod text;

pub use origin::Origins;

use super::reader;
use super::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use gradyn_model::error::nearest;
use library::{Instance, Library, Template};
use merge::Merge;
use mirror::Flips;
use scope::{Scope, Thing};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use text::{Argument, Context};

/// The most elements that templates may expand to.
const MAX_ELEMENTS: usize = 100_000;
/// The most bytes of text that templates may expand to.
const MAX_TEXT: usize = 1 << 26;
/// How deep templates may use templates.
const MAX_DEPTH: usize = 16;

/// A file whose instances have been copied.
pub(crate) struct Expanded {
    /// The model without templates.
    pub root: Table,
    /// Who made what.
    pub origins: Origins,
}

/// Copies all instances; `None` if the file has neither templates nor instances.
pub(crate) fn expand(root: &Table) -> Result<Option<Expanded>, ModelError> {
    if root.get("template").is_none() && root.get("instance").is_none() {
        return Ok(None);
    }
    reader::check_section(root, "template")?;
    reader::check_section(root, "instance")?;
    let library = Library::new(root)?;
    let instances = library.instances(root)?;
    library.check_size(&instances)?;
    let dimension =
        if matches!(root.get("dimension").map(|d| &d.value), Some(Value::Number(3.0))) { 3 } else { 2 };
    let top = Rc::new(Scope::default());
    let budget = Cell::new(MAX_TEXT);
    let context = Context::root(top, dimension, &budget);
    let mut e = Expander { library: &library, merge: Merge::new(root), origins: Origins::new(root) };
    let copies = e.copies(&instances, &context)?;
    copies.into_iter().try_for_each(|c| e.copy(c, &context))?;
    Ok(Some(Expanded { root: e.merge.finish()?, origins: e.origins }))
}

/// One copy of a template that is to be made.
struct Copy<'a> {
    /// `left`, or `link_3` in an array.
    name: String,
    instance: &'a Word,
    template: usize,
    prefix: String,
    flips: Flips,
    number: Option<(usize, usize)>,
    /// Arguments in the order of the template, as the surrounding model gives them.
    given: Vec<Option<Argument>>,
}

struct Expander<'a> {
    library: &'a Library<'a>,
    merge: Merge,
    origins: Origins,
}

impl<'a> Expander<'a> {
    /// The copies that instances ask for, with their arguments as the surrounding `outer` understands them.
    fn copies(&self, instances: &[Instance<'a>], outer: &Context) -> Result<Vec<Copy<'a>>, ModelError> {
        let mut copies = vec![];
        for instance in instances {
            // a plane has no z to mirror
            if instance.mirror == Some(2) && outer.dimension == 2 {
                let e = wrong(
                    format!("instance `{}`, mirror: a plane model has no z axis", instance.name.text),
                    &instance.place("mirror"),
                );
                return Err(outer.inside(e.help("mirror = \"x\" or mirror = \"y\"")));
            }
            // flips = those outside and its own
            let mut flips = outer.flips;
            instance.mirror.iter().for_each(|&k| flips[k] = !flips[k]);
            // a copy for each number
            for i in 1..=instance.count.unwrap_or(1) {
                let number = instance.count.map(|n| (i, n));
                let name = instance.name_of(i);
                let prefix = instance.prefix_of(i);
                copies.push(Copy {
                    name: format!("{}{name}", outer.prefix),
                    instance: instance.name,
                    template: instance.template,
                    prefix: format!("{}{prefix}", outer.prefix),
                    flips,
                    number,
                    given: self.given(instance, i, outer)?,
                });
            }
        }
        Ok(copies)
    }
    /// The arguments of the i-th copy: `first` or `last`, then `with`.
    fn given(
        &self,
        instance: &Instance<'a>,
        i: usize,
        outer: &Context,
    ) -> Result<Vec<Option<Argument>>, ModelError> {
        let template = &self.library.templates[instance.template];
        // tables in the order in which they win
        let mut tables = vec![];
        tables.extend(instance.table("first").filter(|_| i == 1));
        tables.extend(instance.table("last").filter(|_| instance.count == Some(i)));
        tables.extend(instance.table("with"));
        let number = instance.count.map(|n| (i, n));
        let mut given: Vec<Option<Argument>> = template.arguments.iter().map(|_| None).collect();
        // given = first value of each argument
        for (key, node) in tables.into_iter().flat_map(|t| &t.entries) {
            let Some(k) = template.argument(&key.text) else {
                return Err(outer.inside(template.unknown(key, &instance.name.text)));
            };
            if given[k].is_none() {
                given[k] = Some(outer.numbered(number, || outer.argument(node))?);
            }
        }
        // what has no default must be given
        let missing = template
            .arguments
            .iter()
            .zip(&given)
            .find(|((_, default), given)| default.is_none() && given.is_none());
        match missing {
            Some(((argument, _), _)) => {
                Err(outer.inside(template.missing(&argument.text, &instance.name_of(i), instance.name)))
            }
            None => Ok(given),
        }
    }
    /// Makes a copy, and those inside it.
    fn copy(&mut self, copy: Copy<'a>, outer: &Context) -> Result<(), ModelError> {
        let template = &self.library.templates[copy.template];
        let label = format!("`{}` (template `{}`)", copy.name, template.name.text);
        let base = self.origins.add(&label);
        let mut context = Context {
            scope: self.library.scope(copy.template),
            prefix: copy.prefix,
            flips: copy.flips,
            number: Cell::new(copy.number),
            label,
            base,
            arguments: vec![],
            used: template.arguments.iter().map(|_| Cell::new(false)).collect(),
            parent: Some(outer),
            ..*outer
        };
        // arguments, in the order of the template: as given, or by default
        for (given, (_, default)) in copy.given.into_iter().zip(&template.arguments) {
            let argument = match (given, default) {
                (Some(a), default) => {
                    Argument { vector: a.vector || default.is_some_and(Node::is_list), ..a }
                }
                (None, Some(node)) => context.argument(node)?,
                (None, None) => Argument::default(),
            };
            context.arguments.push(argument);
        }
        // sections and arguments of the copies inside, which tell what arguments are used for
        let sections = copy::sections(&context, template.table)?;
        let inside = self.copies(&template.instances, &context)?;
        self.check_used(template, &context)?;
        let arguments = copy::arguments(&context, template);
        let sections = sections.into_iter().map(|(section, node)| (section, node.moved(base)));
        for (section, node) in arguments.into_iter().chain(sections) {
            self.merge.add(section, node, &context.label, &copy.instance.place)?;
        }
        self.merge.part_done(&context.label, &copy.instance.place);
        inside.into_iter().try_for_each(|c| self.copy(c, &context))
    }
    fn check_used(&self, template: &Template, context: &Context) -> Result<(), ModelError> {
        // unused = read neither as a number nor as a text
        let unused = template
            .arguments
            .iter()
            .zip(&context.used)
            .zip(&context.arguments)
            .find(|((_, used), a)| !used.get() && !a.as_text.get());
        match unused {
            Some((((argument, _), _), _)) => {
                let e = wrong(
                    format!(
                        "template `{}`: the argument `{}` is not used",
                        template.name.text, argument.text
                    ),
                    &argument.place,
                );
                let name = &argument.text;
                Err(e.help(format!(
                    "is it misspelt where it should be? write {name} in an expression, {{{name}}} in a text"
                )))
            }
            None => Ok(()),
        }
    }
}

/// An error at a place.
fn wrong(message: String, place: &Range<usize>) -> ModelError {
    ModelError::new(message).at(&Some(place.clone()))
}

/// "did you mean …? noun: …"
fn suggest<'n>(word: &str, noun: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let list: Vec<&str> = known.clone().collect();
    let guess = nearest(word, known).map_or(String::new(), |n| format!("did you mean `{n}`? "));
    if list.is_empty() {
        format!("there are no {noun}")
    } else {
        format!("{guess}{noun}: {}", list.join(", "))
    }
}
