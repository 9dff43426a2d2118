import type { Program } from "../System.ts"
import { bytesToBinary } from "../binaryString.ts"
import { utility } from "./shared/utility.ts"

/** `base64 [-di] [-w COLUMNS] [FILE]`: to Base64 and back. Source: base64(1). */
export const base64: Program = utility("base64", "d|decode i|ignore-garbage w|wrap:", async (io) => {
  const { out, system } = io
  if (io.operands[1] !== undefined) return io.extraOperand(io.operands[1])
  const width = io.value("w") ?? "76"
  if (!/^[0-9]+$/.test(width)) return io.fail(`invalid wrap size: ‘${width}’`)
  const columns = Number(width)
  const input = io.open(io.operands[0] ?? "-")
  if (input === undefined) return
  const buffer = new Uint8Array(49_152)
  let held = ""
  let column = 0
  const put = (text: string): void => {
    if (columns === 0) return out.putBinary(text)
    for (let at = 0; at < text.length;) {
      const part = text.slice(at, at + columns - column)
      out.putBinary(part)
      at += part.length
      column += part.length
      if (column < columns) continue
      out.putByte(10)
      column = 0
    }
  }
  for (let got = 1; got > 0;) {
    const pause = io.settle()
    if (pause !== undefined) await pause
    let read = system.read(input.fd, buffer)
    if (typeof read !== "number") read = await read
    if (read < 0) io.warn(input.path, read)
    got = read
    const text = held + (got > 0 ? bytesToBinary(buffer, 0, got) : "")
    if (!io.has("d")) {
      const whole = got > 0 ? text.length - text.length % 3 : text.length
      put(btoa(text.slice(0, whole)))
      held = text.slice(whole)
      continue
    }
    const clean = io.has("i") ? text.replace(/[^A-Za-z0-9+/=]/g, "") : text.replaceAll("\n", "")
    // Padding may end the data in the middle, as that of files joined to one.
    const whole = got > 0 ? clean.length - clean.length % 4 : clean.length
    held = clean.slice(whole)
    for (const part of clean.slice(0, whole).match(/[^=]*={0,2}/g) ?? []) {
      const good = /^[A-Za-z0-9+/]*/.exec(part)?.[0] ?? ""
      const usable = good.slice(0, good.length - (good.length % 4 === 1 ? 1 : 0))
      out.putBinary(atob(usable))
      if (good.length + (part.length - part.replace(/=+$/, "").length) !== part.length || part.length % 4 !== 0) {
        return io.fail("invalid input")
      }
    }
  }
  if (!io.has("d") && column > 0) out.putByte(10)
})
