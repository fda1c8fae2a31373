//! The texts of statements over many values, in few lengths.

use super::{STATEMENT_ROWS_MAX, Value};

/// Rows are padded to a power of two with rows of nulls, so that few lengths of statement exist and each keeps its
/// plan. Nothing equals a null; an `INSERT` leaves such rows out.
pub(super) fn chunks(
    numbered: bool,
    head: &str,
    columns: usize,
    values: Vec<Value>,
    tail: &str,
) -> Vec<(String, Vec<Value>)> {
    debug_assert_eq!(values.len() % columns, 0, "whole rows: {head}");
    let (open, close) = if head.starts_with("INSERT") {
        (" SELECT * FROM (VALUES ", ") AS v WHERE column1 IS NOT NULL ")
    } else {
        (" VALUES ", " ")
    };
    let mut statements = Vec::new();
    let mut values = values.into_iter().peekable();
    while values.peek().is_some() {
        let mut chunk: Vec<Value> = values.by_ref().take(columns * STATEMENT_ROWS_MAX).collect();
        let rows = (chunk.len() / columns).next_power_of_two();
        let nulls: Vec<Value> = chunk[..columns].iter().map(Value::null_like).collect();
        while chunk.len() < rows * columns {
            chunk.extend_from_slice(&nulls);
        }
        let mut sql = String::with_capacity(head.len() + open.len() + close.len() + tail.len() + chunk.len() * 6);
        sql.push_str(head);
        sql.push_str(open);
        for row in 0..rows {
            sql.push_str(if row == 0 { "(" } else { ", (" });
            for column in 0..columns {
                if column > 0 {
                    sql.push(',');
                }
                push_place(&mut sql, numbered, row * columns + column + 1);
            }
            sql.push(')');
        }
        sql.push_str(close);
        sql.push_str(tail);
        statements.push((sql, chunk));
    }
    statements
}

/// The place of a bound value in a long statement. On SQLite `$1` is a name that is searched for in the list of all
/// names, so that a statement with thousands of them takes seconds; `?` is simply the next one. PostgreSQL only knows
/// numbers.
fn push_place(sql: &mut String, numbered: bool, number: usize) {
    if numbered {
        sql.push_str(&format!("${number}"));
    } else {
        sql.push('?');
    }
}

/// Lists are padded to a power of two by repeating their last value, so that few lengths of statement exist. The values
/// of `first` stand in the head, each once and in order; the tail has none.
pub(super) fn list_of<T>(numbered: bool, head: &str, first: &[Value], list: &[T], tail: &str) -> (String, Vec<Value>)
where
    T: Clone,
    Value: From<T>,
{
    let size = list.len().next_power_of_two();
    let mut values = first.to_vec();
    values.extend(list.iter().cloned().map(Value::from));
    let last = values.last().cloned().expect("a chunk is never empty");
    values.resize(first.len() + size, last);
    debug_assert!(
        head.matches('$').count() == first.len() && !tail.contains('$'),
        "each value once, in the head: {head}"
    );
    let mut sql = head.to_owned();
    if !numbered {
        for number in 1..=first.len() {
            sql = sql.replacen(&format!("${number}"), "?", 1);
        }
    }
    for number in first.len() + 1..=values.len() {
        sql.push_str(if number == first.len() + 1 { " (" } else { "," });
        push_place(&mut sql, numbered, number);
    }
    sql.push_str(") ");
    sql.push_str(tail);
    (sql, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::values;

    #[test]
    fn many_rows_become_statements_of_few_sizes() {
        let numbers = |count: i64| (0..count).map(Value::from).collect::<Vec<_>>();
        let statements = chunks(true, "INSERT INTO t (a, b)", 2, numbers(134), "ON CONFLICT DO NOTHING");
        assert_eq!(statements.len(), 2);
        assert_eq!(statements[0].1.len(), 128);
        let insert = "INSERT INTO t (a, b) SELECT * FROM (VALUES ($1,$2), ($3,$4), ($5,$6), ($7,$8)) AS v WHERE \
                      column1 IS NOT NULL ON CONFLICT DO NOTHING";
        assert_eq!(statements[1].0, insert);
        let mut padded = values![128, 129, 130, 131, 132, 133];
        padded.extend([Value::Int(None), Value::Int(None)]);
        assert_eq!(statements[1].1, padded);
        let update = chunks(false, "UPDATE t SET b = v.column2 FROM (", 2, numbers(4), ") AS v WHERE a = v.column1");
        assert_eq!(update[0].0, "UPDATE t SET b = v.column2 FROM ( VALUES (?,?), (?,?) ) AS v WHERE a = v.column1");
        assert!(chunks(true, "x", 2, Vec::new(), "").is_empty());
    }

    #[test]
    fn lists_are_padded_to_a_power_of_two() {
        let (sql, values) = list_of(true, "WHERE a = $1 AND b IN", &[Value::from(7)], &[1_i64, 2, 3], "");
        assert_eq!(sql, "WHERE a = $1 AND b IN ($2,$3,$4,$5) ");
        let (sql, _) = list_of(false, "WHERE a = $1 AND b IN", &[Value::from(7)], &[1_i64, 2, 3], "AND c");
        assert_eq!(sql, "WHERE a = ? AND b IN (?,?,?,?) AND c");
        assert_eq!(values, values![7, 1, 2, 3, 3]);
    }
}
