//! What the tests of the library share, beside `gradyn_testkit`: it reads model files and runs whole models.

pub mod agree;
pub mod cases;
pub mod elements;
pub mod hard_points;
pub mod pairs;
