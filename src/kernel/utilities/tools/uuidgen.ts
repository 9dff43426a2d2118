/** Implements the `uuidgen` utility. */
import type { Program } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"

/** `uuidgen [-r]`: prints a random UUID. Source: RFC 9562, "UUID Version 4". */
export const uuidgen: Program = defineUtility("uuidgen", "", (io) => {
  const bytes = new Uint8Array(16)
  io.system.random(bytes)
  bytes[6] = (bytes[6] ?? 0) & 0x0f | 0x40
  bytes[8] = (bytes[8] ?? 0) & 0x3f | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  io.print(`${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}\n`)
}, { maxOperands: 0, withoutEffect: { "r|random": "every UUID is random" } })
