# openai_client.py ADDRESS: tests OpenAI's Python client against a server of the model "speaker" with the API key
# "a-token".
import sys
from concurrent.futures import ThreadPoolExecutor
from math import exp

import openai

address = sys.argv[1]
client = openai.OpenAI(base_url=address, api_key="a-token", max_retries=0)
messages = [{"role": "user", "content": "I feel alone."}]


def ask(**more):
    return client.chat.completions.create(model="speaker", messages=more.pop("messages", messages), max_tokens=24, **more)


def refused(error, text, call):
    try:
        call()
    except error as reason:
        assert text in str(reason), reason
    else:
        raise AssertionError(f"no {error.__name__}")


assert [model.id for model in client.models.list()] == ["speaker"]
assert client.models.retrieve("speaker").owned_by == "compeer"

whole = ask(seed=3, logprobs=True, top_logprobs=5)
text = whole.choices[0].message.content
assert whole.model == "speaker" and whole.choices[0].finish_reason in ("stop", "length")
assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
tokens = whole.choices[0].logprobs.content
assert b"".join(bytes(token.bytes) for token in tokens).decode(errors="replace") == text
for token in tokens:
    likely = [other.logprob for other in token.top_logprobs]
    assert len(likely) == 5 and likely == sorted(likely, reverse=True) and sum(map(exp, likely)) <= 1 + 1e-6
    assert token.logprob <= likely[0]

# The same seed gives the same answer, streamed or not, and with concurrent requests.
events = list(ask(seed=3, stream=True, stream_options={"include_usage": True}))
assert "".join(e.choices[0].delta.content or "" for e in events if e.choices) == text
assert events[0].choices[0].delta.role == "assistant"
assert [e.choices[0].finish_reason for e in events if e.choices][-1] == whole.choices[0].finish_reason
assert events[-1].usage.completion_tokens == whole.usage.completion_tokens
with ThreadPoolExecutor(16) as pool:
    together = list(pool.map(lambda seed: ask(seed=seed).choices[0].message.content, range(32)))
assert together[3] == text and together == [ask(seed=seed).choices[0].message.content for seed in range(32)]
assert len(set(together)) > 16
assert ask(temperature=0).choices[0].message.content == ask(temperature=0, seed=8).choices[0].message.content

several = ask(n=3, seed=3, stop=[" ", "e"])
assert len(several.choices) == 3 and several.choices[0].message.content in text
assert all(" " not in c.message.content and "e" not in c.message.content for c in several.choices)
parts = {0: "", 1: "", 2: ""}
for event in ask(n=3, seed=3, stop=[" ", "e"], stream=True, logprobs=True):
    parts[event.choices[0].index] += event.choices[0].delta.content or ""
assert list(parts.values()) == [c.message.content for c in several.choices]

# The cached prefix of the conversation is not computed again.
longer = messages + [{"role": "assistant", "content": text}, {"role": "user", "content": "Nobody calls."}]
assert ask(messages=longer).usage.prompt_tokens_details.cached_tokens >= whole.usage.prompt_tokens - 2

schema = {"type": "object", "properties": {"answer": {"enum": ["True", "False"]}}, "required": ["answer"]}
held = ask(response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
assert held.choices[0].message.content in ('{"answer": "True"}', '{"answer": "False"}')
held = ask(extra_body={"response_format": {"type": "choices", "choices": ["True", "False"]}}, logprobs=True, top_logprobs=20)
assert held.choices[0].message.content in ("True", "False") and held.choices[0].finish_reason == "stop"
first = held.choices[0].logprobs.content[0].top_logprobs
assert len(first) == 2 and abs(sum(exp(other.logprob) for other in first) - 1) < 1e-5, first

refused(openai.NotFoundError, "unknown model 'gpt'; 'speaker' is served",
        lambda: client.chat.completions.create(model="gpt", messages=messages))
refused(openai.BadRequestError, "temperature: is -1", lambda: ask(temperature=-1))
refused(openai.BadRequestError, "tools: is not supported", lambda: ask(tools=[{"type": "function"}]))
refused(openai.BadRequestError, "the model has room for 256", lambda: ask(messages=[{"role": "user", "content": "a " * 500}]))
refused(openai.AuthenticationError, "the token is missing or wrong",
        lambda: openai.OpenAI(base_url=address, api_key="another").models.list())
