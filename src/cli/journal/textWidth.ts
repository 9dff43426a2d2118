/**
 * Measures and cuts text by its width in terminal columns.
 *
 * Source: Unicode Standard Annex #11, East Asian Width.
 *
 * @module
 */

const nothing = /^[\p{Mark}\p{Cf}]$/u
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u

const plain = /^[\x20-\x7e]*$/

const widthOf = (character: string): number => nothing.test(character) ? 0 : wide.test(character) ? 2 : 1

/** The width of a text in columns. */
export const textWidth = (text: string): number => {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** Cuts a text to a number of columns; `…` replaces the rest. */
export const fitText = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text
  let width = 1
  let kept = ""
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return columns < 1 ? "" : `${kept}…`
}
