"""The main use of vt-graph-api, which knows no other server than the one in its source: of the registry, unmodified."""

import tempfile

from steps import ADDRESS, DOMAIN, KEY, NAMES, equal, go
from vt_graph_api import VTGraph

STATE = {}


def a_graph_is_built_expanded_and_saved():
    graph = VTGraph(KEY, name="outside", private=True)
    graph.add_node(DOMAIN, "domain", label="ours")
    equal(sorted(node.node_id for node in graph.expand(DOMAIN, "subdomains")), NAMES)
    equal([node.node_id for node in graph.expand("www.acme.test", "resolutions")], [ADDRESS])
    graph.save_graph()
    assert graph.get_ui_link().startswith("https://"), graph.get_ui_link()
    STATE["graph"] = graph


def a_graph_is_loaded_and_drawn():
    saved = STATE["graph"]
    loaded = VTGraph.load_graph(saved.graph_id, KEY)
    equal((loaded.name, set(loaded.nodes), set(loaded.links)), ("outside", set(saved.nodes), set(saved.links)))
    with tempfile.TemporaryDirectory() as folder:
        loaded.download_screenshot(folder)
        with open(f"{folder}/{saved.graph_id}.jpg", "rb") as picture:
            equal(picture.read(4), b"\x89PNG")


go(a_graph_is_built_expanded_and_saved, a_graph_is_loaded_and_drawn)
