/** Encodes text as bytes in the encodings that a command's stdin may name. */
import type { Encoding } from "effect/process/ChildProcess"
import { encodeUtf8 } from "../../../base/bytes.ts"
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"

/** Encodes like Node's `Buffer.from(text, encoding)`; as UTF-8 on a runtime without `Buffer`, which starts no process. */
export const encodeText = (text: string, encoding: Encoding): Uint8Array =>
  encoding === "utf8" || encoding === "utf-8"
    ? encodeUtf8(text)
    : nodeBuiltins()?.getBuiltinModule("node:buffer").Buffer.from(text, encoding) ?? encodeUtf8(text)
