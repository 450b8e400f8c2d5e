//! Names, and what is refused.

use crate::common::{between, free};
use gradyn_optimize::{Error, Method, Problem, Settings, Transform, Variable};

/// Every method is found by its name, and another name lists them all.
#[test]
fn names() {
    for &method in Method::ALL {
        assert_eq!(Method::parse(method.name()), Ok(method));
        assert!(method.about().len() > 20);
    }
    let message = Method::parse("newton").unwrap_err().to_string();
    assert_eq!(
        message,
        "there is no optimizer `newton`; valid: lbfgsb, slsqp, sqp, bfgs, gauss-newton, levenberg-marquardt"
    );
}

/// A method refuses what it does not take, and says which do.
#[test]
fn refused_problems() {
    let settings = Settings::default();
    let constrained = Problem::new(free(1)).unwrap().equality("h", 1.0).unwrap();
    let bounded = Problem::new(between(&[(0.0, 1.0)])).unwrap();
    for &method in Method::ALL {
        assert_eq!(method.start(&constrained, settings, &[0.5]).is_ok(), method.constraints());
        assert_eq!(method.start(&bounded, settings, &[0.5]).is_ok(), method.bounds());
    }
    let message = |problem| Method::Bfgs.start(problem, settings, &[0.5]).err().unwrap().to_string();
    assert_eq!(message(&constrained), "bfgs takes no constraints; these do: slsqp, sqp");
    assert!(message(&bounded).starts_with("bfgs takes no bounds; these do: lbfgsb, slsqp, sqp"));
}

/// Variables, constraints, starts and settings that mean nothing are refused by name.
#[test]
fn refused_data() {
    // variables
    let variable = |v: Variable| Problem::new(vec![v]).unwrap_err().to_string();
    assert_eq!(variable(Variable::between("k", 2.0, 1.0)), "variable `k`: nothing lies between 2 and 1");
    assert!(variable(Variable::between("k", f64::NAN, 1.0)).contains("nothing lies"));
    assert!(variable(Variable::between("k", 1.0, 1.0)).contains("it does not vary"));
    assert!(variable(Variable::free("k").scale(0.0)).contains("scale 0 is not a positive number"));
    assert!(
        variable(Variable::between("k", -2.0, -1.0).transform(Transform::Log))
            .contains("log needs positive values")
    );
    assert!(variable(Variable::free("k").transform(Transform::Bounded)).contains("two finite bounds"));
    assert_eq!(Problem::new(vec![]).unwrap_err(), Error::NoVariables);
    assert!(Problem::new([free(1), free(1)].concat()).unwrap_err().to_string().contains("two of this name"));

    // constraints and the scale of the value
    let problem = || Problem::new(between(&[(0.0, 1.0)])).unwrap();
    assert!(problem().equality("h", -1.0).is_err());
    assert!(problem().inequality("g", 1.0).unwrap().equality("h", 1.0).is_err());
    assert!(problem().value_scale(f64::INFINITY).is_err());

    // starts and settings
    let start =
        |x: &[f64]| Method::Lbfgsb.start(&problem(), Settings::default(), x).err().unwrap().to_string();
    assert_eq!(start(&[2.0]), "variable `x1`: start 2 is outside of [0, 1]");
    assert_eq!(start(&[0.5, 0.5]), "the start has 2 numbers, the problem 1 variables");
    let settings = |s: Settings| Method::Lbfgsb.start(&problem(), s, &[0.5]).err().unwrap().to_string();
    assert!(
        settings(Settings { noise: -1.0, ..Settings::default() }).contains("noise: -1 is not a tolerance")
    );
    assert!(settings(Settings { max_failures: 0, ..Settings::default() }).contains("max_failures"));
    for (transform, x) in [(Transform::Log, 0.0), (Transform::Bounded, 1.0)] {
        let problem = Problem::new(vec![Variable::between("k", 0.0, 1.0).transform(transform)]).unwrap();
        assert!(matches!(
            Method::Lbfgsb.start(&problem, Settings::default(), &[x]),
            Err(Error::Variable { .. })
        ));
    }
}
