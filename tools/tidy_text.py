"""How tools/tidy reads C++ and Markdown: well enough for its rules, without a parser."""

import re

COMMENT = r"//[^\n]*|/\*.*?\*/"
RAW = r'R"(?P<tag>\w*)\(.*?\)(?P=tag)"'
LITERAL = RAW + r"""|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'"""
TOKEN = re.compile(f"(?P<comment>{COMMENT})|(?P<literal>{LITERAL})", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def prose(markdown):
    """Markdown with fenced code blanked out."""
    return re.sub(r"^(```+).*?^\1", lambda match: blank(match[0]), markdown, flags=re.M | re.S)


def functions(code):
    """(first line, last line) of each function in code without comments and literals."""
    code = DIRECTIVE.sub(lambda match: blank(match[0]), code)
    scopes, head_start, body = [], 0, None
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            head = code[head_start:match.start()]
            if body is None and opens_function(head):
                body = (len(scopes), line_of(code, head_start + len(head) - len(head.lstrip())))
            scopes.append(match.start())
        elif match[0] == "}" and scopes:
            scopes.pop()
            if body is not None and len(scopes) == body[0]:
                yield body[1], line_of(code, match.start())
                body = None
        head_start = match.end()


def opens_function(head):
    head = re.sub(r"^\s*template\s*<.*?>\s*(?=class|struct|union)", "", head, flags=re.S).strip()
    scope = re.match(r"(?:inline\s+)*(?:namespace|class|struct|union|enum|extern)\b", head)
    return not scope and "(" in head and not head.endswith(("=", "(", ","))
