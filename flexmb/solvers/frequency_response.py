"""Frequency response of linearised equations between an input and an output: H(i w) = C (i w - A)^-1 B + D.

In: a `Linearisation`, names of an input and an output, frequencies [Hz]. Out: complex amplitudes of the output for an
input of amplitude 1; of a prescribed motion the input is its acceleration.
"""

from __future__ import annotations

import numpy as np

from flexmb.arrays import Complexes, Floats
from flexmb.errors import ComputationError, Fault, InputError
from flexmb.solvers.linearise import Linearisation
from flexmb.suggestions import did_you_mean


def frequency_response(linear: Linearisation, input_name: str, output_name: str, frequencies: Floats) -> Complexes:
    """(n,) complex response at the frequencies [Hz]; raises InputError for names that are not there."""
    faults = []
    if input_name not in linear.inputs:
        hint = did_you_mean(input_name, linear.inputs, "Inputs (forces, torques, actuators, motions)")
        faults.append(Fault(f"There is no input '{input_name}'.", hint=hint))
    if output_name not in linear.outputs:
        hint = did_you_mean(output_name, linear.outputs, "Outputs (sensors)")
        faults.append(Fault(f"There is no output '{output_name}'.", hint=hint))
    if faults:
        raise InputError(faults)
    j, k = linear.inputs.index(input_name), linear.outputs.index(output_name)
    unit = np.eye(len(linear.A))
    response = np.zeros(len(frequencies), dtype=complex)
    for i, frequency in enumerate(frequencies):
        try:
            x = np.linalg.solve(2j * np.pi * frequency * unit - linear.A, linear.B[:, j])
        except np.linalg.LinAlgError:
            raise ComputationError(
                f"The response at {frequency:g} Hz is infinite: an undamped mode has this frequency."
            ) from None
        response[i] = linear.C[k] @ x + linear.D[k, j]
    return response
