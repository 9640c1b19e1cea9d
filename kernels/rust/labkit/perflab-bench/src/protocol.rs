//! JSON Lines, each as soon as it is complete.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::Error;

/// Writes the protocol's lines.
pub(crate) struct ProtocolWriter<'a> {
    out: &'a mut dyn Write,
}

impl<'a> ProtocolWriter<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        ProtocolWriter { out }
    }

    pub(crate) fn line(&mut self, json: &Value) -> io::Result<()> {
        writeln!(self.out, "{json}")?;
        self.out.flush()
    }

    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    pub(crate) fn error(&mut self, error: &Error) -> io::Result<()> {
        let mut line = json!({"type": "error", "kind": error.kind().name(), "message": error.to_string()});
        if !error.allowed().is_empty() {
            line["allowed"] = error.allowed().into();
        }
        self.line(&line)
    }
}

/// A whole number without a fraction or an exponent, anything else as it is.
pub(crate) fn shortest(number: f64) -> Value {
    const LARGEST_EXACT_INTEGER: f64 = (1_u64 << 53) as f64;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT_INTEGER {
        #[allow(clippy::cast_possible_truncation, reason = "a whole number of at most 2^53")]
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
