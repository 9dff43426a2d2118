/**
 * Where the server is, from a URL and what is given beside it; and how people are told, never with the password.
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

/** Where to connect to, and how to call it. */
export interface Location {
  /** A name, an address, or the folder of a Unix socket when it begins with `/`. */
  readonly host: string
  readonly port: number
  readonly applicationName: string | undefined
  /** `postgres://user@host:port/database?schema=…` */
  readonly text: string
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

/** A URL without its `?schema=`, which libpq does not know, and that schema. */
export const splitSchema = (text: string): { readonly url: string; readonly schema: string | undefined } => {
  const [, before = text, schema, after = ""] = /^([^?]*\?(?:.*&)?)schema=([^&]*)(?:&(.*))?$/.exec(text) ?? []
  if (schema === undefined) return { url: text, schema }
  return { url: `${before}${after}`.replace(/[?&]$/, ""), schema: decode(schema) ?? schema }
}

/** Reads a place as the client does; `undefined` when its URL is none, or its port. */
export const locationOf = (place: Place): Location | undefined => {
  const url = place.url === undefined ? undefined : parse(place.url)
  if (place.url !== undefined && url === undefined) return undefined
  // A parameter wins over the same part of the URL.
  const of = (name: string, part: string | undefined): string | undefined => {
    const value = url?.searchParams.get(name) ?? decode(part ?? "")
    return value === "" ? undefined : value
  }
  const host = place.host ?? of("host", url?.hostname.replace(/^\[(.*)\]$/, "$1")) ?? "localhost"
  const port = place.port ?? Number(of("port", url?.port) ?? 5432)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const username = place.username ?? of("user", url?.username)
  const database = place.database ?? of("dbname", url?.pathname.slice(1)) ?? username ?? ""
  const text = textOf(host, port, username, database, place.schema)
  return { host, port, applicationName: of("application_name", undefined), text }
}

const textOf = (host: string, port: number, username: string | undefined, database: string, schema: string): string => {
  const path = encodeURIComponent(database)
  const name = `schema=${encodeURIComponent(schema)}`
  if (host.startsWith("/")) {
    // A URL without a host has no place for a user.
    const user = username === undefined ? "" : `user=${encodeURIComponent(username)}&`
    return `postgres:///${path}?${user}host=${encodeURIComponent(host).replaceAll("%2F", "/")}&port=${port}&${name}`
  }
  const user = username === undefined ? "" : `${encodeURIComponent(username)}@`
  return `postgres://${user}${host.includes(":") ? `[${host}]` : host}:${port}/${path}?${name}`
}
