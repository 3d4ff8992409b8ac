#!/usr/bin/env python3
"""A model for tests: the real agent programs complete turns with it, without an account or a network.

  stub_model.py            listens on a free port of 127.0.0.1 and prints it; ends with its standard input.

It speaks what claude (Anthropic Messages), codex (OpenAI Responses) and gemini ask for. What it
answers stands in the prompt, in the last line of the form "stub: WHAT":

  stub: say TEXT      the text
  stub: turns         how many times the user has spoken in this conversation
  stub: run COMMAND   a call of the agent's shell, then "it printed: …"
  stub: error STATUS  an HTTP error
  stub: knows WORD    yes if the word stands anywhere else in the request, else no
  stub: hang          nothing, for as long as the client waits; "hangs" is printed then
"""

import itertools
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INPUT_TOKENS = 100
OUTPUT_TOKENS = 7
NUMBERS = itertools.count(1)


def fresh(prefix):
    """An id: programs take what has the same one for the same."""
    return f"{prefix}_stub_{next(NUMBERS)}"


def text_of(content):
    """All text in a message's content, whatever its shape."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        return text_of(content.get("text", content.get("content", content.get("output", ""))))
    return ""


class Ask:
    """One request, in the same words for all three."""

    body = ""  # All of it, as text.

    def __init__(self, prompts, result, tools):
        self.prompts = prompts  # What the user said, oldest first.
        self.result = result  # What a tool answered just now, or None.
        self.tools = tools

    def directive(self):
        found = re.findall(r"^stub: (.*)$", self.prompts[-1] if self.prompts else "", re.M)
        verb, _, rest = (found[-1] if found else "say nothing to do").partition(" ")
        return verb, rest


def read_anthropic(body):
    prompts, result = [], None
    for message in body.get("messages", []):
        if message.get("role") != "user":
            result = None
            continue
        parts = message["content"] if isinstance(message["content"], list) else [message["content"]]
        results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
        said = [text_of(part) for part in parts if part not in results]
        said = [text for text in said if text.strip() and not text.lstrip().startswith("<system-reminder>")]
        if results:
            result = text_of(results)
        elif said:
            prompts.append("\n".join(said))
            result = None
    return Ask(prompts, result, [tool.get("name") for tool in body.get("tools", [])])


def read_openai(body):
    prompts, result = [], None
    items = body.get("input", [])
    for item in items if isinstance(items, list) else [{"role": "user", "content": items}]:
        if item.get("type") == "function_call_output":
            result = text_of(item.get("output"))
        elif item.get("role") == "user":
            text = text_of(item.get("content"))
            if not text.lstrip().startswith("<"):  # What codex says of its surroundings.
                prompts.append(text)
                result = None
    return Ask(prompts, result, [tool.get("name") for tool in body.get("tools", [])])


def read_gemini(body):
    prompts, result = [], None
    for content in body.get("contents", []):
        if content.get("role") != "user":
            continue
        for part in content.get("parts", []):
            if "functionResponse" in part:
                result = json.dumps(part["functionResponse"].get("response"))
            elif part.get("text"):
                prompts.append(part["text"])
                result = None
    tools = [one.get("name") for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    return Ask(prompts, result, tools)


SHELLS = {"Bash": "command", "exec_command": "cmd", "shell": "command", "run_shell_command": "command"}


def answer(ask):
    """("text", TEXT), ("call", NAME, INPUT), ("error", STATUS) or ("hang",)."""
    verb, rest = ask.directive()
    if verb == "error":
        return ("error", int(rest))
    if verb == "hang":
        return ("hang",)
    if verb == "knows":
        said = ask.body.replace("stub: knows " + rest, "")
        return ("text", "yes" if rest in said else "no")
    if verb == "turns":
        return ("text", str(sum("stub: " in prompt for prompt in ask.prompts)))
    if verb == "run":
        if ask.result is not None:
            return ("text", "it printed: " + ask.result)
        for name, member in SHELLS.items():
            if name in ask.tools:
                return ("call", name, {member: rest})
        return ("text", "there is no shell among " + ", ".join(filter(None, ask.tools)))
    return ("text", rest)


class Stub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_json(200, {"data": [], "models": []})

    def do_HEAD(self):
        self.send_json(200, {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens") or path.endswith(":countTokens"):
            return self.send_json(200, {"input_tokens": INPUT_TOKENS, "totalTokens": INPUT_TOKENS})
        for pattern, read, reply in (
            (r"/v1/messages$", read_anthropic, self.reply_anthropic),
            (r"/responses$", read_openai, self.reply_openai),
            (r"enerateContent$", read_gemini, self.reply_gemini),
        ):
            if re.search(pattern, path):
                ask = read(body)
                ask.body = json.dumps(body)
                # Titles, routing and the like: asked without tools, in JSON.
                what = answer(ask) if ask.tools else ("text", "{}")
                if what[0] == "hang":
                    print("hangs", flush=True)
                    self.close_connection = True
                    return self.connection.recv(1)
                if what[0] == "error":
                    return self.send_error_of_model(what[1])
                return reply(body, what)
        return self.send_json(404, {"error": {"message": "no such path"}})

    def send_error_of_model(self, status):
        kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
        kind = kinds.get(status, "api_error")
        error = {"type": kind, "message": "the stub says so", "code": status, "status": kind.upper()}
        self.send_json(status, {"type": "error", "error": error})

    def send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def stream(self, events):
        """Server-sent events: (name or None, value)."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, value in events:
            line = f"event: {name}\n" if name else ""
            self.wfile.write(f"{line}data: {json.dumps(value)}\n\n".encode())
        self.close_connection = True

    def reply_anthropic(self, body, what):
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS,
                 "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        if what[0] == "text":
            block = {"type": "text", "text": what[1]}
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": what[1]}
        else:
            block = {"type": "tool_use", "id": fresh("toolu"), "name": what[1], "input": what[2]}
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(what[2])}
        stop = "end_turn" if what[0] == "text" else "tool_use"
        message = {"id": fresh("msg"), "type": "message", "role": "assistant", "model": body.get("model", ""),
                   "stop_sequence": None}
        if not body.get("stream"):
            return self.send_json(200, {**message, "content": [block], "stop_reason": stop, "usage": usage})
        return self.stream([(event["type"], event) for event in (
            {"type": "message_start",
             "message": {**message, "content": [], "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
             "usage": {"output_tokens": OUTPUT_TOKENS}},
            {"type": "message_stop"})])

    def reply_openai(self, body, what):
        if what[0] == "text":
            item = {"type": "message", "id": fresh("msg"), "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": what[1], "annotations": []}]}
        else:
            item = {"type": "function_call", "id": fresh("fc"), "call_id": fresh("call"), "name": what[1],
                    "arguments": json.dumps(what[2]), "status": "completed"}
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS,
                 "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": fresh("resp"), "object": "response", "created_at": 0, "model": body.get("model", "")}
        done = {**response, "status": "completed", "output": [item], "usage": usage}
        if not body.get("stream"):
            return self.send_json(200, done)
        return self.stream([(event["type"], event) for event in (
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done})])

    def reply_gemini(self, _, what):
        part = {"text": what[1]} if what[0] == "text" else {"functionCall": {"name": what[1], "args": what[2]}}
        value = {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}],
                 "usageMetadata": {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS,
                                   "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS},
                 "modelVersion": "stub"}
        if "streamGenerateContent" in self.path:
            return self.stream([(None, value)])
        return self.send_json(200, value)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
