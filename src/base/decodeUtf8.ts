/** Decodes UTF-8 that must be valid. */
const lenient = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true })
const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Decodes bytes, and keeps a byte-order mark; `undefined` when they are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  // On Deno the strict decoder takes two to six times as long, so it runs only if the lenient one may have replaced
  // something.
  const text = lenient.decode(bytes)
  if (!text.includes("\ufffd")) return text
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
