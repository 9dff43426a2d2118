/** Copies parts of long texts, so that the texts can be collected. */

/** Texts that may stay for a part of them. */
const minLength = 4_096

/** JavaScriptCore keeps the text through a join, too; a text that is written and parsed is new. */
const isJavaScriptCore = "Bun" in globalThis

/**
 * A copy of a part of a text: engines keep the whole text for a part of 13 characters or more, so that parts kept of many long
 * texts would hold far more than they count for. Parts of a short `whole`, and those longer
 * than half of it, stay as they are.
 */
export const detach = (part: string, whole: number = Infinity): string => {
  if (part.length < 13 || whole < minLength || part.length > whole / 2) return part
  if (!isJavaScriptCore) return ` ${part}`.slice(1)
  const copy: unknown = JSON.parse(JSON.stringify(part))
  return typeof copy === "string" ? copy : part
}
