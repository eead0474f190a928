# Spends its time inside one native call.
import re

re.match(r"(a+)+$", "a" * 64 + "b")
