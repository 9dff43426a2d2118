/** Parses the time zone of a date and time. Source: date(1) "DATE STRING", parse-datetime.y of gnulib. */
import { zoneOffset } from "../../zoneOffset.ts"

/** Abbreviations by their hours ahead of UTC. */
const zonesByHours: ReadonlyArray<readonly [hours: number, names: string]> = [
  [0, "z utc ut gmt wet"],
  [1, "a west bst wat cet met mez"],
  [2, "b cest mest mesz eet cat sast"],
  [3, "c eest eat msk"],
  ...[[4, "d msd"], [5, "e"], [5.5, "ist"], [6, "f"], [7, "g"], [8, "h sgt"], [9, "i kst jst"]] as const,
  ...[[10, "k gst"], [11, "l"], [12, "m nzst"], [13, "nzdt"]] as const,
  ...[[-1, "n"], [-2, "o brst"], [-2.5, "ndt"], [-3, "p art brt adt clst"], [-3.5, "nst"]] as const,
  ...[[-4, "q ast clt edt"], [-5, "r est cdt"], [-6, "s cst mdt"], [-7, "t mst pdt"], [-8, "u pst akdt"]] as const,
  ...[[-9, "v akst hadt"], [-10, "w hst hast"], [-11, "x"], [-12, "y sst"]] as const,
]
const zones: ReadonlyMap<string, number> = new Map(
  zonesByHours.flatMap(([hours, names]) => names.split(" ").map((name) => [name, hours] as const)),
)

/** Matches an abbreviation with its dots and an offset of it (`UTC+3`, but not the `+3` of `UTC +3 days`), or `EST DST`. */
const zonePattern =
  /(?:^|\s|(?<=[0-9]))([a-z](?:\.?[a-z]){0,4})\.?(?:\s*([-+])([0-9]{1,2})(?::?([0-9]{2}))?(?!\s*[a-z])|\s+(dst))?(?=$|\s)/g

export interface ParsedZone {
  /** Where it is in the text. */
  readonly index: number
  readonly length: number
  /** Milliseconds ahead of UTC. */
  readonly offset: number
  /** The name, if the zone of the environment has it: it must be in force at that time. */
  readonly localName: string | undefined
}

/** The offset of a name in the zone of the environment, in winter or in summer. */
const localOffset = (zone: string, name: string, now: number): number | undefined => {
  const year = new Date(now).getUTCFullYear()
  const found = [0, 6].map((month) => zoneOffset(zone, Date.UTC(year, month, 1)))
  return zone === "UTC" ? undefined : found.find(([, known]) => known.toLowerCase() === name)?.[0]
}

/** Finds the zone in a date in lower case. `zone` is that of the environment. */
export const findZone = (text: string, zone: string, now: number): ParsedZone | undefined => {
  for (const match of text.matchAll(zonePattern)) {
    const [all, dotted = "", sign, hours, minutes = "0", summer] = match
    const name = dotted.replaceAll(".", "")
    // A letter is a zone of the military at the end; `a` may be the number of `a day ago`.
    if (name.length === 1 && name !== "z" && match.index + all.length < text.trimEnd().length) continue
    const local = localOffset(zone, name, now)
    const known = local ?? (zones.has(name) ? (zones.get(name) ?? 0) * 3_600_000 : undefined)
    if (known === undefined) continue
    const own = hours === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1)
    const offset = known + own + (summer === undefined ? 0 : 3_600_000)
    const isLocal = local !== undefined && own === 0 && summer === undefined
    return { index: match.index, length: all.length, offset, localName: isLocal ? name : undefined }
  }
  return undefined
}
