"""Reads exports with what others read them with: the files of a folder, and the same documents from a server.

Arguments: the folder, with one file for each format, named by it; URL and key of a server over the same inventory.
"""

import csv
import json
import sys
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import stix2
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from py_ocsf_models.events.findings.detection_finding import DetectionFinding
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

# What DefectDojo's parser of generic findings takes, and what it demands.
DOJO_DEMANDS = {"title", "severity", "description"}
DOJO_TAKES = DOJO_DEMANDS | {
    "date", "cwe", "mitigation", "steps_to_reproduce", "references", "active", "verified", "false_p", "out_of_scope",
    "risk_accepted", "is_mitigated", "static_finding", "dynamic_finding", "unique_id_from_tool", "vuln_id_from_tool",
    "component_name", "tags", "endpoints", "vulnerability_ids",
}
VOID = {"meta", "br", "hr", "img", "link", "input"}


def sarif(text):
    model = Sarif.model_validate_json(text)
    run = model.runs[0]
    rules = {rule.id for rule in run.tool.driver.rules}
    assert {result.ruleId for result in run.results} == rules, "each result has its rule"
    assert any(result.properties.model_extra["evidence"] for result in run.results), "proofs are told"
    return len(run.results)


def vex(text):
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    document = json.loads(text)
    components = {component["bom-ref"] for component in document["components"]}
    for row in document["vulnerabilities"]:
        assert {affected["ref"] for affected in row["affects"]} <= components, row
    return len(document["vulnerabilities"])


def defectdojo(text):
    findings = json.loads(text)["findings"]
    for finding in findings:
        assert DOJO_DEMANDS <= set(finding) <= DOJO_TAKES, finding
        assert finding["severity"] in {"Critical", "High", "Medium", "Low", "Info"}, finding
    assert len({finding["unique_id_from_tool"] for finding in findings}) == len(findings)
    return len(findings)


def ocsf(text):
    return len([DetectionFinding.model_validate_json(line) for line in text.splitlines()])


def stix(text):
    bundle = stix2.parse(text, allow_custom=False)
    ids = [found.id for found in bundle.objects]
    assert len(set(ids)) == len(ids), "an object is told once"
    for found in bundle.objects:
        if found.type == "relationship":
            assert found.source_ref in ids and found.target_ref in ids, found
    return len([found for found in bundle.objects if found.get("relationship_type") == "has"])


def sheet(text):
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert all(row["title"] and row["uid"] and None not in row for row in rows), rows
    return len(rows)


def jsonl(text):
    return len([json.loads(line)["uid"] for line in text.splitlines()])


class Page(HTMLParser):
    """A page whose tags are closed in order, that runs nothing and loads nothing."""

    def __init__(self):
        super().__init__()
        self.open, self.articles = [], 0

    def handle_starttag(self, tag, attributes):
        assert tag not in {"script", "iframe", "object", "embed", "form", "base"}, tag
        assert not any(name.startswith("on") or name in {"src", "srcdoc"} for name, _ in attributes), attributes
        self.articles += tag == "article"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def html(text):
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == [], page.open
    return page.articles


READERS = {
    "csv": sheet, "jsonl": jsonl, "sarif": sarif, "vex": vex, "defectdojo": defectdojo, "ocsf": ocsf, "stix": stix,
    "html": html,
}


def main(folder, server, key):
    counts = {}
    for name, read in READERS.items():
        counts[name] = read((Path(folder) / name).read_bytes().decode())
        request = urllib.request.Request(f"{server}/api/ambit/v1/exports/{name}", headers={"x-apikey": key})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert "attachment" in answer.headers["content-disposition"]
            served = answer.read().decode()
        assert read(served) == counts[name], f"{name}: server and folder differ"
    assert len(set(counts.values())) == 1 and counts["sarif"] > 0, counts
    print(counts["sarif"])


main(*sys.argv[1:])
