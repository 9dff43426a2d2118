/** Copies parts of long texts, so that the texts can be collected. */

/** Maximum length of a text that may be kept alive for a part of it. */
const minLength = 4_096

/** JavaScriptCore keeps the text even through a join; a text that is serialized and parsed again is new. */
const isJavaScriptCore = "Bun" in globalThis

/**
 * A copy of a part of a text: engines keep the whole text alive for a part of 13 characters or more, so parts of many
 * long texts would hold far more memory than is counted for them. Parts of a short `whole`, and those longer than half
 * of it, stay as they are.
 */
export const detach = (part: string, whole: number = Infinity): string => {
  if (part.length < 13 || whole < minLength || part.length > whole / 2) return part
  if (!isJavaScriptCore) return ` ${part}`.slice(1)
  const copy: unknown = JSON.parse(JSON.stringify(part))
  return typeof copy === "string" ? copy : part
}
