import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { negotiate } from "../../src/http/negotiate.ts"

const json = "application/json"
const ndjson = "application/x-ndjson"
const sse = "text/event-stream"

const table: ReadonlyArray<readonly [accept: string | undefined, chosen: string | undefined]> = [
  [undefined, json],
  ["", json],
  ["*/*", json],
  ["*", json],
  [json, json],
  [ndjson, ndjson],
  [sse, sse],
  ["TEXT/Event-Stream", sse],
  ["text/event-stream; charset=utf-8", sse],
  ["application/*", json],
  ["text/*", sse],
  // A form that is named wins over one that a wildcard covers; weights win over both.
  ["application/x-ndjson, */*", ndjson],
  ["*/*, text/event-stream", sse],
  ["application/x-ndjson;q=0.5, */*;q=0.9", json],
  ["application/json;q=0.1, application/x-ndjson;q=0.2", ndjson],
  ["application/json, text/plain, */*", json],
  // The one that is named first, among equals.
  ["text/event-stream, application/json", sse],
  ["application/json, text/event-stream", json],
  ["application/x-ndjson, text/event-stream", ndjson],
  // q=0 means never, whatever a wildcard says.
  ["application/json;q=0, */*", ndjson],
  ["application/json;q=0, application/x-ndjson;q=0, */*;q=0.1", sse],
  ["*/*;q=0", undefined],
  ["text/html", undefined],
  ["text/html, image/*", undefined],
  ["application/xml;q=0.9, application/json;q=0", undefined],
]

it.each(table)("answers Accept: %s with %s", (accept, chosen) => {
  const result = negotiate(accept)
  if (chosen === undefined) {
    expect(Result.isFailure(result) && result.failure.problem).toMatchObject({
      status: 406,
      type: "urn:sluice:request:not-acceptable",
    })
  } else expect(Result.getOrThrow(result)).toBe(chosen)
})
