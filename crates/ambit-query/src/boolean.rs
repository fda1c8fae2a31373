//! The grammar that query languages share: conditions with AND, OR, NOT and parentheses. What a condition is, and how
//! operators are spelled, is each language's own.
//!
//! ```text
//! query   := and ( OR and )*
//! and     := unary ( [AND] unary )*
//! unary   := [NOT] primary
//! primary := "(" query ")" | condition
//! ```

/// Parentheses inside each other.
pub(crate) const DEPTH_MAX: usize = 50;

/// A query as a tree over conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boolean<C> {
    /// Without any it finds everything.
    And(Vec<Boolean<C>>),
    Or(Vec<Boolean<C>>),
    Not(Box<Boolean<C>>),
    Leaf(C),
}

impl<C> Boolean<C> {
    /// True for an object of which a function says which conditions hold.
    pub fn holds(&self, condition: &dyn Fn(&C) -> bool) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(condition)),
            Self::Or(any) => any.iter().any(|one| one.holds(condition)),
            Self::Not(not) => !not.holds(condition),
            Self::Leaf(leaf) => condition(leaf),
        }
    }

    /// Whether an object is found of which a function says which conditions hold, as far as that is known; `None`: what
    /// is not known decides.
    pub fn verdict(&self, condition: &dyn Fn(&C) -> Option<bool>) -> Option<bool> {
        let either = |list: &[Self], decides: bool| {
            let mut known = Some(!decides);
            for one in list {
                match one.verdict(condition) {
                    Some(holds) if holds == decides => return Some(decides),
                    Some(_) => {}
                    None => known = None,
                }
            }
            known
        };
        match self {
            Self::And(all) => either(all, false),
            Self::Or(any) => either(any, true),
            Self::Not(not) => not.verdict(condition).map(|holds| !holds),
            Self::Leaf(leaf) => condition(leaf),
        }
    }

    /// Calls a function for each condition.
    pub fn each_leaf<'a>(&'a mut self, act: &mut dyn FnMut(&'a mut C)) {
        match self {
            Self::And(list) | Self::Or(list) => list.iter_mut().for_each(|one| one.each_leaf(act)),
            Self::Not(not) => not.each_leaf(act),
            Self::Leaf(leaf) => act(leaf),
        }
    }
}

/// What a text goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Open,
    Close,
    And,
    Or,
    Not,
    Condition,
    End,
}

/// What is wrong with the parentheses of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooDeep,
    /// The place is that of the opening one.
    Unclosed,
    Unopened,
}

/// A text of one language, read from its beginning.
pub(crate) trait Text {
    type Condition;
    type Error;

    /// Returns what comes next, at this depth of parentheses.
    fn peek(&self, depth: usize) -> Next;

    /// Steps over the parenthesis or operator that `peek` returned.
    fn step(&mut self, next: Next);

    /// Where the text is read now.
    fn place(&self) -> usize;

    /// Reads a condition, and fails for anything else. `apart` means that it is in a later alternative or behind NOT.
    fn condition(&mut self, apart: bool) -> Result<Self::Condition, Self::Error>;

    /// Returns whether the expression that begins at this place may be one of several alternatives.
    fn check_alternatives(&self, _from: usize) -> Result<(), Self::Error> {
        Ok(())
    }

    fn error(&self, fault: Fault, place: usize) -> Self::Error;
}

/// Reads a text to its end.
pub(crate) fn parse<T: Text>(text: &mut T) -> Result<Boolean<T::Condition>, T::Error> {
    let query = Parser { text, depth: 0, apart: 0 }.any()?;
    match text.peek(0) {
        Next::End => Ok(query),
        _ => Err(text.error(Fault::Unopened, text.place())),
    }
}

struct Parser<'a, T> {
    text: &'a mut T,
    depth: usize,
    /// Alternatives and negations around this place.
    apart: usize,
}

impl<T: Text> Parser<'_, T> {
    fn takes(&mut self, operator: Next) -> bool {
        let is = self.text.peek(self.depth) == operator;
        if is {
            self.text.step(operator);
        }
        is
    }

    fn any(&mut self) -> Result<Boolean<T::Condition>, T::Error> {
        let from = self.text.place();
        let mut list = vec![self.all()?];
        while self.takes(Next::Or) {
            self.apart += 1;
            list.push(self.all()?);
            self.apart -= 1;
        }
        if list.len() > 1 {
            self.text.check_alternatives(from)?;
        }
        Ok(one_or(list, Boolean::Or))
    }

    fn all(&mut self) -> Result<Boolean<T::Condition>, T::Error> {
        let mut list = vec![self.unary()?];
        while self.takes(Next::And) || !matches!(self.text.peek(self.depth), Next::Or | Next::Close | Next::End) {
            list.push(self.unary()?);
        }
        Ok(one_or(list, Boolean::And))
    }

    fn unary(&mut self) -> Result<Boolean<T::Condition>, T::Error> {
        if !self.takes(Next::Not) {
            return self.primary();
        }
        self.apart += 1;
        let inner = self.primary()?;
        self.apart -= 1;
        Ok(Boolean::Not(Box::new(inner)))
    }

    fn primary(&mut self) -> Result<Boolean<T::Condition>, T::Error> {
        if self.text.peek(self.depth) != Next::Open {
            return self.text.condition(self.apart > 0).map(Boolean::Leaf);
        }
        let opened = self.text.place();
        if self.depth == DEPTH_MAX {
            return Err(self.text.error(Fault::TooDeep, opened));
        }
        self.text.step(Next::Open);
        self.depth += 1;
        let inner = self.any()?;
        if !self.takes(Next::Close) {
            return Err(self.text.error(Fault::Unclosed, opened));
        }
        self.depth -= 1;
        Ok(inner)
    }
}

fn one_or<C>(mut list: Vec<Boolean<C>>, many: fn(Vec<Boolean<C>>) -> Boolean<C>) -> Boolean<C> {
    if list.len() == 1 { list.remove(0) } else { many(list) }
}
