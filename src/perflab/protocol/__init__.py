"""The bench protocol: the shapes of its messages, and how they are read."""

from perflab.protocol.messages import (
    PROTOCOL_VERSION,
    Better,
    Description,
    End,
    Failure,
    Message,
    Metric,
    Parameter,
    ParameterValue,
    Role,
    Runtime,
    Sample,
    Scenario,
    Start,
    Validation,
    Variant,
)
from perflab.protocol.reading import read_description, read_message

__all__ = [
    "PROTOCOL_VERSION",
    "Better",
    "Description",
    "End",
    "Failure",
    "Message",
    "Metric",
    "Parameter",
    "ParameterValue",
    "Role",
    "Runtime",
    "Sample",
    "Scenario",
    "Start",
    "Validation",
    "Variant",
    "read_description",
    "read_message",
]
