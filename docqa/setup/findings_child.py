"""The process that looks for what machine and data lack, for a server: python -m docqa.setup.findings_child

It prints the findings of `doctor` as one line of JSON, and mends nothing.
"""

import json
import os
from dataclasses import asdict

from docqa.settings import Settings
from docqa.setup.doctor import findings

if __name__ == "__main__":
    print(json.dumps([asdict(finding) for finding in findings(Settings.read(os.environ))]))
