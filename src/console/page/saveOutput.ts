/** Copies text to the clipboard, and saves the output of a command as a file. */
import { isRecord } from "../../base/isObject.ts"
import { eventsPath, followEvents } from "./apiClient.ts"
import { parseJson, readText } from "./decodeCommand.ts"
import { makeElement } from "./dom.ts"

/** Pieces are joined to blobs of this length, which a browser may keep on disk. */
const blobLength = 1_048_576

/** Copies a text by the event of a copy, which also works over plain HTTP; returns whether the browser allowed it. */
export const copyText = (text: string): boolean => {
  let isCopied = false
  const copy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text)
    event.preventDefault()
    isCopied = event.clipboardData !== null
  }
  document.addEventListener("copy", copy, { once: true, capture: true })
  document.execCommand("copy")
  document.removeEventListener("copy", copy, { capture: true })
  return isCopied
}

/** Reads the output of a command as it was written; for a running command, up to the event with the id `last`. */
export const readOutput = async (commandId: string, last: string | undefined, signal: AbortSignal): Promise<Blob> => {
  const done = new AbortController()
  let blob = new Blob([])
  let text = ""
  const take = (piece: string): void => {
    text += piece
    if (text.length < blobLength) return
    blob = new Blob([blob, text])
    text = ""
  }
  let hasChunks = false
  await followEvents(
    eventsPath(commandId),
    undefined,
    ({ data, id }) => {
      const value = parseJson(data)
      if (!isRecord(value)) return
      const tag = readText(value, "_tag")
      if (tag === "ShellOutputChunk") {
        hasChunks = true
        take(readText(value, "content") ?? "")
      } else if (!hasChunks && (tag === "ShellOutput" || tag === "ShellFault")) {
        take(`${readText(value, "stdout") ?? ""}${readText(value, "stderr") ?? ""}`)
      }
      if (last !== undefined && Number(id) >= Number(last)) done.abort()
    },
    () => {},
    AbortSignal.any([done.signal, signal]),
  )
  return new Blob([blob, text], { type: "text/plain;charset=utf-8" })
}

export const saveBlob = (blob: Blob, name: string): void => {
  const href = URL.createObjectURL(blob)
  makeElement("a", { href, download: name.replace(/[^A-Za-z0-9._-]+/g, "-") }).click()
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
