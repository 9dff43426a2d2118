/** Implements the `b2sum` utility. */
import { blake2b } from "@noble/hashes/blake2.js"
import type { Program } from "../../System.ts"
import { makeChecksum } from "./checksums.ts"

/** `b2sum`: as `sha256sum`, with BLAKE2b. Source: b2sum(1). */
export const b2sum: Program = makeChecksum("b2sum", "BLAKE2b", 128, () => blake2b.create({ dkLen: 64 }))
