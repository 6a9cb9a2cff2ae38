"""OpenVINO, which reckons what models are made of, and tells nobody.

Importing it imports its converter of other frameworks' models, if that can be had; the converter sends that it was
imported to an analytics service, and keeps a number for the user in the home folder, by the package openvino-telemetry
that pip installs beside it. Neither can be imported here. openvino is imported in the processes of models only.
"""

import sys
from typing import Any

for _name in ("openvino.tools.ovc", "openvino_telemetry"):
    sys.modules[_name] = None  # type: ignore[assignment]  # as if it were not installed

import openvino  # type: ignore[import-untyped]
from openvino import opset15

op: Any = opset15
ov: Any = openvino
