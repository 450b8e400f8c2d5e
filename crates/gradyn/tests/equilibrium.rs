//! Static equilibrium: closed forms, sensitivities by all methods, and what is said where there is none.

use gradyn::{Error, Method, Prepared, Sensitivity};

fn model(text: &str) -> Result<Prepared, Error> {
    Prepared::new(&gradyn::file::read_toml(text)?.mechanism)
}

fn example() -> Prepared {
    model(gradyn::examples::find("quarter_car").expect("bundled")).expect("builds")
}

/// The tyre carries the whole weight.
#[test]
fn the_quarter_car_stands_on_its_tyre() {
    let car = example();
    let s = car.equilibrium(true).expect("equilibrium");
    println!("{:?}", s.outputs);
    println!("{:?}", s.gradient);
    println!("{:?} {:?} {:e}", s.efforts, s.equilibrium.search, s.equilibrium.residual);
}

#[test]
fn all_methods_agree_on_the_quarter_car() {
    let car = example();
    let method = Method::new("index1", "rk4").expect("exists").step(0.002);
    let run = car.simulate(&method, &mut |_, _| {}).expect("runs");
    for s in [
        Sensitivity::DiscreteAdjoint,
        Sensitivity::DiscreteDirect,
        Sensitivity::Automatic,
        Sensitivity::ComplexStep,
        Sensitivity::Direct,
        Sensitivity::AdjointExplicit,
        Sensitivity::Extrapolated,
    ] {
        let g = car.gradient(&run, s).unwrap_or_else(|e| panic!("{}: {e}", s.name()));
        println!("{} {:?} {:?}", s.name(), g.corrections, g.rows);
    }
}
