/**
 * How a PostgreSQL journal is called where people read it: never with its password.
 *
 * @module
 */

/** What is known of the place. What is given beside `url` wins over what the URL says. */
export interface Place {
  readonly url: string | undefined
  readonly host: string | undefined
  readonly port: number | undefined
  readonly database: string | undefined
  readonly username: string | undefined
  readonly schema: string
}

const parse = (text: string): URL | undefined => {
  try {
    const url = new URL(text)
    return url.protocol === "postgres:" || url.protocol === "postgresql:" ? url : undefined
  } catch {
    return undefined
  }
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `postgres://user@host:port/database?schema=…`; `undefined` when the URL is none. */
export const locationOf = (place: Place): string | undefined => {
  const url = place.url === undefined ? undefined : parse(place.url)
  if (place.url !== undefined && url === undefined) return undefined
  // A parameter wins over the same part of the URL, as the client does it.
  const of = (name: string, part: string | undefined): string | undefined => {
    const value = url?.searchParams.get(name) ?? decode(part ?? "")
    return value === "" ? undefined : value
  }
  const username = place.username ?? of("user", url?.username)
  const host = place.host ?? of("host", url?.hostname) ?? "localhost"
  const port = place.port ?? of("port", url?.port) ?? "5432"
  const database = place.database ?? of("dbname", url?.pathname.slice(1)) ?? username ?? ""
  const path = encodeURIComponent(database)
  const schema = `schema=${encodeURIComponent(place.schema)}`
  if (host.startsWith("/")) {
    // A URL without a host has no place for a user.
    const user = username === undefined ? "" : `user=${encodeURIComponent(username)}&`
    return `postgres:///${path}?${user}host=${encodeURIComponent(host).replaceAll("%2F", "/")}&port=${port}&${schema}`
  }
  const user = username === undefined ? "" : `${encodeURIComponent(username)}@`
  const address = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
  return `postgres://${user}${address}:${port}/${path}?${schema}`
}
