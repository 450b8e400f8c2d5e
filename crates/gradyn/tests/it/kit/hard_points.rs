//! The Iltis with coordinates of its hard points as parameters.

/// The text of the example with 54 more parameters `hf_…` and `hr_…`, offsets of the hard points of the front
/// and rear suspension; or with 30, which front and rear share.
pub(crate) fn iltis(shared: bool) -> String {
    let names =
        ["centre", "arm_in", "arm_out", "link_in", "link_out", "leaf_top", "damper_arm", "damper_top"];
    let mut text = gradyn::examples::find("iltis").expect("bundled").to_owned();
    let rear = if shared { "hf" } else { "hr" };
    let front = "[parameters]\nhf = { value = 0, count = 30, scale = 0.1 }\n";
    let more = if shared { "" } else { "hr = { value = 0, count = 24, scale = 0.1 }\n" };
    let corner = |c: &str, list: &str| [format!("c = \"{c}\", x"), format!("c = \"{c}\", h = \"{list}\", x")];
    let edits = [
        ["[parameters]\n".to_owned(), format!("{front}{more}")],
        ["required  = [\"c\",".to_owned(), "required  = [\"c\", \"h\",".to_owned()],
        corner("fl", "hf"),
        corner("fr", "hf"),
        corner("rl", rear),
        corner("rr", rear),
    ];
    for [old, new] in &edits {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    // name = ["x", 0.615, 0.356] becomes name = ["x + {h}_0", "0.615 + {h}_1", …]
    let mut moved = |name: &str, first: usize, list: &str| {
        let start = text.find(&format!("\n{name} ")).unwrap_or_else(|| panic!("{name}"));
        let [open, close] = ["[", "]"].map(|b| start + text[start..].find(b).expect("a list"));
        let items = text[open + 1..close].split(", ").enumerate();
        let items: Vec<String> =
            items.map(|(k, x)| format!("\"{} + {list}_{}\"", x.trim_matches('"'), first + k)).collect();
        text.replace_range(open + 1..close, &items.join(", "));
    };
    names.iter().enumerate().for_each(|(k, name)| moved(name, 3 * k, "{h}"));
    moved("tie_in", 24, "hf");
    moved("tie_out", 27, "hf");
    text
}
