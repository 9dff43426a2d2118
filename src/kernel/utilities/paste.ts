/** Implements the `paste` utility, which joins corresponding lines of files, or all lines of each file. */
import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { Input } from "./shared/Input.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `paste [-sz] [-d LIST] [FILE]...`: joins lines of files. Source: paste(1). */
export const paste: Program = defineUtility("paste", "d|delimiters: s|serial z|zero-terminated", async (io) => {
  const { out } = io
  const list = textToBinary(io.value("d") ?? "\t")
  const controls: Readonly<Record<string, string>> = { 0: "", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }
  const delimiters = (list.match(/\\[^]|[^]/g) ?? [""]).map((part) =>
    part.length > 1 ? controls[part[1] ?? ""] ?? part[1] ?? "" : part
  )
  const end = io.terminator()
  const delimiter = (at: number): string => delimiters[at % delimiters.length] ?? ""
  if (io.has("s")) {
    for (const input of io.inputs(end)) {
      let count = 0
      await io.forEachLine([input], (line) => {
        if (count++ > 0) out.putBinary(delimiter(count - 2))
        out.putBinary(line)
      })
      out.putByte(end)
    }
    return
  }
  const standard = new Input(io, 0, "-", end)
  const inputs: Array<Input> = []
  for (const path of io.operandsOr("-")) {
    const input = path === "-" ? standard : io.openInput(path, end)
    if (input === undefined) return 1
    inputs.push(input)
  }
  for (;;) {
    const lines: Array<string | undefined> = []
    for (const input of inputs) {
      const line = input.line()
      lines.push(typeof line === "object" ? await line : line)
    }
    if (lines.every((line) => line === undefined)) return
    lines.forEach((line, at) => out.putBinary((at > 0 ? delimiter(at - 1) : "") + (line ?? "")))
    out.putByte(end)
    if (out.isFull) await out.flush()
  }
})
