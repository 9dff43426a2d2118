/** Reads an event stream from a fetch body: an `EventSource` cannot send a token. */
export interface EventStreamMessage {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Parses bytes to messages as they are pulled, so that a slow reader slows the server. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<EventStreamMessage, void, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  let id = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const parts = (rest + value).split("\n\n")
      rest = parts.pop() ?? ""
      for (const part of parts) {
        let event = "message"
        const data: Array<string> = []
        for (const line of part.split("\n")) {
          const colon = line.indexOf(": ")
          const [field, text] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 2)]
          if (field === "id") id = text
          else if (field === "event") event = text
          else if (field === "data") data.push(text)
        }
        if (data.length > 0) yield { id, event, data: data.join("\n") }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
