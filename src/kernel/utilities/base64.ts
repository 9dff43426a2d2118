/** Implements the `base64` utility, which encodes a file as Base64 or decodes it to standard output. */
import { bytesToBinary } from "../binaryString.ts"
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `base64 [-di] [-w COLUMNS] [FILE]`: encodes or decodes Base64. Source: base64(1). */
export const base64: Program = defineUtility("base64", "d|decode i|ignore-garbage w|wrap:", async (io) => {
  const { out } = io
  const columns = io.count("w", 76, (text) => `invalid wrap size: ‘${text}’`)
  const input = io.openInput(io.operands[0] ?? "-")
  if (input === undefined) return
  const buffer = new Uint8Array(49_152)
  let pending = ""
  let column = 0
  const putWrapped = (text: string): void => {
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
  for (let count = 1; count > 0;) {
    count = await io.read(input, buffer)
    const text = pending + bytesToBinary(buffer, 0, count)
    if (!io.has("d")) {
      const whole = count > 0 ? text.length - text.length % 3 : text.length
      putWrapped(btoa(text.slice(0, whole)))
      pending = text.slice(whole)
      continue
    }
    const clean = io.has("i") ? text.replace(/[^A-Za-z0-9+/=]/g, "") : text.replaceAll("\n", "")
    const whole = count > 0 ? clean.length - clean.length % 4 : clean.length
    pending = clean.slice(whole)
    // Padding may occur in the middle, where files were joined.
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
}, { maxOperands: 1 })
