/** Decodes the character references of HTML that pages commonly have. Source: HTML Living Standard "Named character references". */

/** Names of U+00A0 to U+00FF, in order. */
const latin =
  ("nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute " +
    "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
    "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute " +
    "Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute " +
    "icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml")
    .split(" ")

/** Other names, each before its character. */
const others =
  "amp & lt < gt > quot \" apos ' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ ensp \u2002 " +
  "emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † " +
  "Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ " +
  "rArr ⇒ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ isin ∈ prod ∏ sum ∑ minus − radic √ infin ∞ cap ∩ cup ∪ asymp ≈ ne ≠ " +
  "equiv ≡ le ≤ ge ≥ alpha α beta β gamma γ delta δ Delta Δ epsilon ε lambda λ mu μ pi π sigma σ Sigma Σ tau τ phi φ omega ω " +
  "Omega Ω check ✓ cross ✗ star ☆ hearts ♥ num # lowbar _ ast * colon : comma , period . lpar ( rpar ) lsqb [ rsqb ] " +
  "lbrace { rbrace } sol / bsol \\ commat @ dollar $ percnt % excl ! quest ? plus + equals = grave ` vert |"

const named: ReadonlyMap<string, string> = new Map([
  ...latin.map((name, at) => [name, String.fromCharCode(0xa0 + at)] as const),
  // No-break spaces have no blank beside them, so blanks separate all.
  ...Array.from(
    others.matchAll(/(\w+) (\S|[\u2002\u2003\u2009])/gu),
    ([, name = "", character = ""]) => [name, character] as const,
  ),
])

/** Numbers from 0x80 to 0x9f mean characters of Windows-1252. */
const windows = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const ofCode = (code: number): string => {
  if (code >= 0x80 && code <= 0x9f) return windows[code - 0x80] ?? ""
  const isInvalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
  return isInvalid ? "\ufffd" : String.fromCodePoint(code)
}

/** Replaces `&amp;`, `&#38;` and `&#x26;` by their characters; other names stay. */
export const decodeEntities = (text: string): string =>
  !text.includes("&") ? text : text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,10}));?/g,
    (all, decimal, hex, name) => {
      if (decimal !== undefined) return ofCode(Number(decimal))
      if (hex !== undefined) return ofCode(Number.parseInt(hex, 16))
      return named.get(name) ?? all
    },
  )
