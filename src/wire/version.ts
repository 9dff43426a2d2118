/** Declares the wire versions and their HTTP header, and picks the newest version in common. */

/**
 * Version of the JSON form of events and commands. A change that an older reader cannot skip raises it.
 *
 * @example
 * ```ts
 * import { minWireVersion, wireVersion } from "@sluice/shell/wire"
 *
 * console.log(wireVersion >= minWireVersion) // true
 * ```
 */
export const wireVersion = 1

/**
 * The oldest wire version that this package still reads.
 *
 * @example
 * ```ts
 * import { minWireVersion } from "@sluice/shell/wire"
 *
 * console.log(minWireVersion) // 1
 * ```
 */
export const minWireVersion = 1

/**
 * Name of the HTTP header with wire versions: a request lists the range that its client reads (`1` or `1-2`), a response the
 * version that it is written in.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { wireVersion, wireVersionHeader } from "@sluice/shell/wire"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const response = await server.request("/health", { headers: { [wireVersionHeader]: "1-2" } })
 * console.log(response.headers.get(wireVersionHeader) === String(wireVersion)) // true
 * ```
 */
export const wireVersionHeader = "sluice-wire-version"

export interface WireVersions {
  readonly min: number
  readonly max: number
}

const ownVersions: WireVersions = { min: minWireVersion, max: wireVersion }

export const formatWireVersions = ({ max, min }: WireVersions = ownVersions): string =>
  min === max ? `${max}` : `${min}-${max}`

const parseWireVersions = (text: string): WireVersions | undefined => {
  const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text.trim()) ?? []
  return first === undefined || last === undefined ? undefined : { min: Number(first), max: Number(last) }
}

/** The newest version that both sides support; without a header the newest supported one. */
export const negotiateWireVersion = (
  header: string | null | undefined,
  { max, min }: WireVersions = ownVersions,
): number | undefined => {
  if (header === null || header === undefined) return max
  const listed = parseWireVersions(header)
  if (listed === undefined) return undefined
  const newest = Math.min(listed.max, max)
  return newest >= Math.max(listed.min, min) ? newest : undefined
}
