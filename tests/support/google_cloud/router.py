"""Maps requests to methods of Google's discovery documents."""

import json
import pathlib
import re
import urllib.parse

OWN = pathlib.Path(__file__).parent  # has cloudquotas.v1.json, see there
SERVICES = {"artifactregistry": "v1", "cloudbilling": "v1", "cloudquotas": "v1",
            "cloudresourcemanager": "v3", "compute": "v1", "container": "v1", "iam": "v1",
            "serviceusage": "v1", "storage": "v1"}
PARAMETER = re.compile(r"\{(\+?)([\w.]+)\}")


class Document:
    """One discovery document with the routes of its methods."""

    def __init__(self, service, content):
        self.service, self.schemas = service, content["schemas"]
        self.parameters = content["parameters"]  # permitted in each request
        self.title = content["title"]
        self._base = "/" + content["servicePath"]
        self._routes = sorted(self._all_routes(content), key=lambda route: -route[0])

    def find(self, verb, path):
        """Returns the method and the path parameters, or None."""
        for _, method_verb, pattern, method in self._routes:
            found = method_verb == verb and pattern.fullmatch(path)
            if found:
                names = [name for _, name in PARAMETER.findall(method["path"])]
                values = map(urllib.parse.unquote, found.groups())
                return method, dict(zip(names, values))
        return None

    def _all_routes(self, part):
        for method in part.get("methods", {}).values():
            yield from self._routes_of(method)
        for child in part.get("resources", {}).values():
            yield from self._all_routes(child)

    def _routes_of(self, method):
        paths = [self._base + method["path"]]
        for protocol in method.get("mediaUpload", {}).get("protocols", {}).values():
            paths.append(protocol["path"])
        if method.get("supportsMediaDownload"):
            paths.append("/download" + self._base + method["path"])
        for path in paths:
            # Templates with a verb come first: a resource's name could match it as well.
            has_verb = bool(re.search(r":\w+$", path))
            yield has_verb, method["httpMethod"], self._pattern(path, method), method

    @staticmethod
    def _pattern(path, method):
        text, end = "", 0
        for found in PARAMETER.finditer(path):
            wanted = method["parameters"][found[2]].get("pattern", "[^/]+")
            if found[1]:
                wanted = wanted.replace("[^/]+", "[^/:]+")
            elif "pattern" in method["parameters"][found[2]]:
                wanted = "[^/]+"  # a value; the validator checks its pattern
            text += re.escape(path[end:found.start()]) + f"({wanted.strip('^$')})"
            end = found.end()
        return re.compile(text + re.escape(path[end:]))


class Router:
    """@param folder  of discovery documents"""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._documents = {}

    def document(self, host):
        """Returns the document of a host ("container.googleapis.com"), or None."""
        service, _, domain = host.partition(".")
        if domain != "googleapis.com" or service not in SERVICES:
            return None
        if service not in self._documents:
            name = f"{service}.{SERVICES[service]}.json"
            file = self._folder / name
            file = file if file.exists() else OWN / name
            self._documents[service] = Document(service, json.loads(file.read_text()))
        return self._documents[service]
