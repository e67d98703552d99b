"""Judges a configuration of the NRI plugin balloons by the plugin's own schema, as an API server does that refuses unknown fields.

Usage: balloons.py CRD FILE   (says nothing and ends with 0 if all is right; needs PyYAML and jsonschema)
"""

import sys
from typing import Any

import jsonschema
import yaml


def strict(schema: Any) -> Any:
    """The schema without fields that it does not name."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    properties = found.get("properties")
    if isinstance(properties, dict) and found.get("type") == "object":
        found.setdefault("additionalProperties", False)
    return found


def main() -> int:
    crd, path = sys.argv[1:]
    with open(crd, encoding="utf-8") as file:
        definition = yaml.safe_load(file)["spec"]
    with open(path, encoding="utf-8") as file:
        policy = yaml.safe_load(file)
    version = next(one for one in definition["versions"] if one["served"])
    kind = f"{definition['group']}/{version['name']}", definition["names"]["kind"]
    said = [] if (policy.get("apiVersion"), policy.get("kind")) == kind else [f"not of the kind {kind}"]
    validator = jsonschema.Draft7Validator(strict(version["schema"]["openAPIV3Schema"]))
    said += [f"{error.json_path}: {error.message}" for error in validator.iter_errors(policy)]
    # A component names a type that is there; the schema cannot say so.
    types = policy.get("spec", {}).get("balloonTypes", [])
    names = {one.get("name") for one in types}
    wanted = {part["balloonType"] for one in types for part in one.get("components", [])}
    said += [f"no balloon type {name}" for name in sorted(wanted - names)]
    print("\n".join(said), end="\n" if said else "")
    return 1 if said else 0


sys.exit(main())
