//! Question: how much faster than real time are the vehicles with their full gradient, in natural and in joint coordinates?
//!
//! One core, ali3p × newmark at 1 ms from a start shortly before the road moves the car. `-- SECONDS` sets the simulated time, 0.5 s if absent.

use gradyn::{Coordinates, Method, Prepared};
use gradyn_bench::Bench;

fn main() {
    let seconds: f64 = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(0.5);
    println!(
        "ali3p × newmark, alpha 1e11, 1 ms, {seconds} s, all parameters of the file, best of 3: µs/step, and simulated time / time of run and gradient"
    );
    let wanted = |name: &str| std::env::args().all(|a| !gradyn::examples::VEHICLES.contains(&a.as_str()) || a == name);
    for name in gradyn::examples::VEHICLES.iter().filter(|name| wanted(name)) {
        let all = [Coordinates::Natural, Coordinates::Relative0, Coordinates::Relative1];
        bench(name, gradyn::examples::find(name).expect("bundled"), seconds, &all);
        if *name == "iltis" {
            // relative coordinates refuse hard points of the redundant rear suspension
            bench("iltis, 36", &gradyn_testkit::hard_points::iltis(true), seconds, &all[..1]);
        }
    }
}

fn bench(name: &str, text: &str, seconds: f64, families: &[Coordinates]) {
    let mut m = gradyn::file::read_toml(text).expect("reads").mechanism;
    m.t_end = seconds.into();
    for &family in families {
        let model = Prepared::new_in(&m, family).unwrap_or_else(|e| panic!("{name}: {e}"));
        let method = Method { alpha: 1e11, ..Method::new("ali3p", "newmark").expect("registered").step(1e-3) };
        let times = Bench::new(model, method).times(3);
        let faster = seconds / (times.forward + times.backward);
        println!("{} | {faster:5.2} × real time", times.line(&format!("{name}, {}", family.name())));
    }
}
