//! What templates and instances say, how much they make, and the names of each template.

use super::{MAX_DEPTH, MAX_ELEMENTS, MAX_TEXT, Scope, suggest, wrong};
use crate::file::reader;
use crate::file::tree::{Node, Table, Value, Word};
use gradyn_model::ModelError;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// A template of the file, before it is copied.
pub(crate) struct Template<'a> {
    pub name: &'a Word,
    pub table: &'a Table,
    /// Arguments and their defaults; those without are required.
    pub arguments: Vec<(&'a Word, Option<&'a Node>)>,
    indices: HashMap<&'a str, usize>,
    pub instances: Vec<Instance<'a>>,
}

/// An instance, or an array of them.
pub(crate) struct Instance<'a> {
    pub name: &'a Word,
    pub template: usize,
    /// Number of copies of an array.
    pub count: Option<usize>,
    /// The axis that changes its sign.
    pub mirror: Option<usize>,
    node: &'a Table,
    prefix: Option<&'a Word>,
}

/// All templates of a file.
pub(crate) struct Library<'a> {
    pub templates: Vec<Template<'a>>,
    names: HashMap<&'a str, usize>,
    sizes: Vec<Size>,
    scopes: RefCell<Vec<Option<Rc<Scope>>>>,
}

/// How much a template makes, and how deep it nests others.
#[derive(Clone, Copy)]
struct Size {
    elements: usize,
    bytes: usize,
    depth: usize,
}

impl Size {
    /// Adds the copies of an instance.
    fn add(&mut self, inner: Size, instance: &Instance) {
        let count = instance.count.unwrap_or(1);
        let prefix = instance.prefix_of(count).len().saturating_mul(inner.elements);
        self.elements = self.elements.saturating_add(inner.elements.saturating_mul(count));
        self.bytes = self.bytes.saturating_add(inner.bytes.saturating_add(prefix).saturating_mul(count));
        self.depth = self.depth.max(inner.depth + 1);
    }
}

impl<'a> Template<'a> {
    fn new(name: &'a Word, table: &'a Table) -> Result<Self, ModelError> {
        let defaults = table.get("arguments").and_then(Node::table).into_iter().flat_map(|t| &t.entries);
        let mut arguments: Vec<(&Word, Option<&Node>)> =
            defaults.map(|(key, node)| (key, Some(node))).collect();
        let mut indices: HashMap<&str, usize> =
            arguments.iter().enumerate().map(|(k, a)| (a.0.text.as_str(), k)).collect();
        for argument in table.get("required").map_or(&[][..], Node::items).iter().filter_map(Node::word) {
            if indices.insert(argument.text.as_str(), arguments.len()).is_some() {
                let e = wrong(
                    format!("template `{}`: the argument `{}` is named twice", name.text, argument.text),
                    &argument.place,
                );
                return Err(e.help("`arguments` have defaults, those in `required` have none"));
            }
            arguments.push((argument, None));
        }
        Ok(Self { name, table, arguments, indices, instances: vec![] })
    }
    /// The index of an argument.
    pub(crate) fn argument(&self, name: &str) -> Option<usize> {
        self.indices.get(name).copied()
    }
    /// An instance gives an argument that there is not.
    pub(crate) fn unknown(&self, argument: &Word, instance: &str) -> ModelError {
        let name = &self.name.text;
        let word = &argument.text;
        let e = wrong(
            format!("instance `{instance}`: template `{name}` has no argument `{word}`"),
            &argument.place,
        );
        e.help(suggest(word, "arguments", self.arguments.iter().map(|a| a.0.text.as_str())))
    }
    /// An instance does not give an argument that is required.
    pub(crate) fn missing(&self, argument: &str, instance: &str, key: &Word) -> ModelError {
        let name = &self.name.text;
        let e = wrong(
            format!("instance `{instance}`: the argument `{argument}` of template `{name}` is missing"),
            &key.place,
        );
        e.help(format!("give it in `with`, as in with = {{ {argument} = … }}"))
    }
    /// Number of its own elements.
    fn elements(&self) -> usize {
        let inner = |t: &Table| t.entries.iter().map(|(_, n)| n.table().map_or(1, |t| t.entries.len())).sum();
        let size = |(key, node): &(Word, Node)| match (key.text.as_str(), node.table()) {
            ("arguments" | "instance", _) | (_, None) => 0,
            ("ground" | "initial", Some(t)) => inner(t),
            (_, Some(t)) => t.entries.len(),
        };
        self.table.entries.iter().map(size).sum()
    }
    /// The error of an instance below the deepest level.
    fn too_deep(&self, instance: &Instance) -> ModelError {
        let message =
            format!("template `{}`: templates are nested more than {MAX_DEPTH} deep", self.name.text);
        wrong(message, &instance.place("use")).help("let some of them use fewer others")
    }
}

impl<'a> Instance<'a> {
    fn new(name: &'a Word, node: &'a Table, names: &HashMap<&str, usize>) -> Result<Self, ModelError> {
        let word = |key: &str| node.get(key).and_then(Node::word);
        let Some(&template) = word("use").and_then(|w| names.get(w.text.as_str())) else {
            let (text, place) = word("use").map_or(("", &name.place), |w| (w.text.as_str(), &w.place));
            let mut known: Vec<&str> = names.keys().copied().collect();
            known.sort_unstable();
            let e = wrong(format!("instance `{}`: there is no template `{text}`", name.text), place);
            return Err(e.help(suggest(text, "templates", known.iter().copied())));
        };
        let count = node
            .get("count")
            .and_then(|c| if let Value::Number(x) = c.value { Some(x as usize) } else { None });
        let mirror = word("mirror").and_then(|m| ["x", "y", "z"].iter().position(|a| *a == m.text));
        let instance = Self { name, template, count, mirror, node, prefix: word("prefix") };
        instance.check_array()?;
        Ok(instance)
    }
    fn check_array(&self) -> Result<(), ModelError> {
        // keys of arrays only
        let alone =
            ["first", "last"].into_iter().find(|k| self.count.is_none() && self.node.get(k).is_some());
        if let Some(key) = alone {
            let name = &self.name.text;
            let message = format!("instance `{name}`: `{key}` is for arrays, and there is no `count`");
            return Err(wrong(message, &self.place(key)).help("give these arguments in `with`"));
        }
        // a prefix that keeps the names of copies apart
        match self.prefix {
            Some(p) if self.count.is_some_and(|n| n > 1) && !p.text.contains("{i}") => {
                let e = wrong(
                    format!(
                        "instance `{}`, prefix: every copy of the array would have the same names",
                        self.name.text
                    ),
                    &p.place,
                );
                Err(e.help(format!("put the number into it, as in \"{}{{i}}_\"", p.text)))
            }
            Some(p) if p.text.replace("{i}", "").contains(['{', '}', '.']) => Err(wrong(
                format!("instance `{}`, prefix: `{}` cannot begin a name", self.name.text, p.text),
                &p.place,
            )
            .help("letters, digits, _ and {i}")),
            _ => Ok(()),
        }
    }
    /// A table of arguments.
    pub(crate) fn table(&self, key: &str) -> Option<&'a Table> {
        self.node.get(key).and_then(Node::table)
    }
    /// Where the value of a key stands.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        self.node.get(key).map_or(self.name.place.clone(), |n| n.place.clone())
    }
    /// What the i-th copy is called.
    pub(crate) fn name_of(&self, i: usize) -> String {
        if self.count.is_some() { format!("{}_{i}", self.name.text) } else { self.name.text.clone() }
    }
    /// What comes before the names of the i-th copy.
    pub(crate) fn prefix_of(&self, i: usize) -> String {
        self.prefix.map_or_else(|| self.name_of(i) + "_", |p| p.text.replace("{i}", &i.to_string()))
    }
}

impl<'a> Library<'a> {
    /// Reads all templates of a file whose tables have been checked.
    pub(crate) fn new(root: &'a Table) -> Result<Self, ModelError> {
        // templates by their names
        let entries = || root.get("template").and_then(Node::table).into_iter().flat_map(|t| &t.entries);
        let named = entries().filter_map(|(name, node)| Some((name, node.table()?)));
        let mut templates =
            named.map(|(name, table)| Template::new(name, table)).collect::<Result<Vec<_>, _>>()?;
        let names: HashMap<&str, usize> =
            templates.iter().enumerate().map(|(k, t)| (t.name.text.as_str(), k)).collect();
        // instances inside of templates
        for t in &mut templates {
            reader::check_section(t.table, "instance")?;
            t.instances = instances(t.table, &names)?;
        }
        // sizes, inner templates first
        let scopes = RefCell::new(vec![None; templates.len()]);
        let mut library = Self { sizes: vec![], templates, names, scopes };
        let mut sizes = vec![None; library.templates.len()];
        for k in 0..sizes.len() {
            library.size(k, &mut vec![], &mut sizes)?;
        }
        library.sizes = sizes.into_iter().flatten().collect();
        Ok(library)
    }
    /// The instances of the file itself.
    pub(crate) fn instances(&self, root: &'a Table) -> Result<Vec<Instance<'a>>, ModelError> {
        instances(root, &self.names)
    }
    /// The error of a template that is one of those above it.
    fn uses_itself(&self, above: &[usize], instance: &Instance) -> ModelError {
        let chain = above.iter().skip_while(|&&a| a != instance.template).chain([&instance.template]);
        let names: Vec<String> = chain.map(|&k| format!("`{}`", self.templates[k].name.text)).collect();
        let message = format!("a template uses itself: {}", names.join(" → "));
        wrong(message, &instance.place("use")).help("an array repeats a template: count = …")
    }
    /// How many elements a copy of a template has, those inside it included.
    fn size(
        &self,
        k: usize,
        above: &mut Vec<usize>,
        sizes: &mut Vec<Option<Size>>,
    ) -> Result<Size, ModelError> {
        if let Some(size) = sizes[k] {
            return Ok(size);
        }
        // size of its own elements
        let t = &self.templates[k];
        let mut size = Size { elements: t.elements(), bytes: t.table.weight(), depth: 1 };
        if size.elements == 0 && t.instances.is_empty() {
            let e = wrong(format!("template `{}` has no elements", t.name.text), &t.name.place);
            let help = format!("give it sections of a model, such as [template.{}.body.NAME]", t.name.text);
            return Err(e.help(help));
        }
        size.elements += t.arguments.len();
        above.push(k);
        // size of its instances, none of which is above it
        for instance in &t.instances {
            if above.contains(&instance.template) {
                return Err(self.uses_itself(above, instance));
            }
            if above.len() == MAX_DEPTH {
                return Err(t.too_deep(instance));
            }
            let inner = self.size(instance.template, above, sizes)?;
            if inner.depth == MAX_DEPTH {
                return Err(t.too_deep(instance));
            }
            size.add(inner, instance);
        }
        above.pop();
        sizes[k] = Some(size);
        Ok(size)
    }
    /// Refuses instances that make too many elements.
    pub(crate) fn check_size(&self, instances: &[Instance]) -> Result<(), ModelError> {
        let mut total = Size { elements: 0, bytes: 0, depth: 0 };
        for i in instances {
            total.add(self.sizes[i.template], i);
            let too_much = match total {
                Size { elements, .. } if elements > MAX_ELEMENTS => format!("{MAX_ELEMENTS} elements"),
                Size { bytes, .. } if bytes > MAX_TEXT => format!("{} MB of text", MAX_TEXT >> 20),
                _ => continue,
            };
            let e = wrong(
                format!("instance `{}`: the templates expand to more than {too_much}", i.name.text),
                &i.name.place,
            );
            return Err(e.help("use fewer or smaller instances"));
        }
        Ok(())
    }
    /// The names of a template.
    pub(crate) fn scope(&self, k: usize) -> Rc<Scope> {
        if let Some(scope) = &self.scopes.borrow()[k] {
            return scope.clone();
        }
        let t = &self.templates[k];
        let arguments = t.arguments.iter().map(|a| (a.0.text.as_str(), a.1.is_some_and(Node::is_list)));
        let mut scope = Scope::new(t.table, arguments);
        for instance in &t.instances {
            let inner = self.scope(instance.template);
            (1..=instance.count.unwrap_or(1)).for_each(|i| scope.add(&inner, &instance.prefix_of(i)));
        }
        let scope = Rc::new(scope);
        self.scopes.borrow_mut()[k] = Some(scope.clone());
        scope
    }
}

fn instances<'a>(table: &'a Table, names: &HashMap<&str, usize>) -> Result<Vec<Instance<'a>>, ModelError> {
    let entries = table.get("instance").and_then(Node::table).into_iter().flat_map(|t| &t.entries);
    entries.filter_map(|(name, node)| Some(Instance::new(name, node.table()?, names))).collect()
}
