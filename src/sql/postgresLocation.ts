/** Parses the URL of a PostgreSQL database and the options that override it; formats it without the password. */

/** The parts of a location; the others override those of `url`. */
export interface LocationParts {
  readonly url: string | undefined
  readonly host: string | undefined
  readonly port: number | undefined
  readonly database: string | undefined
  readonly username: string | undefined
  readonly schema?: string | undefined
}

export interface Address {
  /** A name, an address, or the folder of a Unix socket if it begins with `/`. */
  readonly host: string
  readonly port: number
}

/** The address of a server, and its location as text for people. */
export interface PostgresLocation extends Address {
  readonly applicationName: string | undefined
  /** `postgres://user@host:port/database?schema=…`, without a password. */
  readonly text: string
}

const parseUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === "postgres:" || url?.protocol === "postgresql:" ? url : undefined
}

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Splits a URL into one without `?schema=`, which libpq does not know, and that schema. */
export const splitSchema = (text: string): { readonly url: string; readonly schema: string | undefined } => {
  const [, before = text, schema, after = ""] = /^([^?]*\?(?:.*&)?)schema=([^&]*)(?:&(.*))?$/.exec(text) ?? []
  if (schema === undefined) return { url: text, schema }
  return { url: `${before}${after}`.replace(/[?&]$/, ""), schema: decode(schema) ?? schema }
}

const format = (
  host: string,
  port: number,
  username: string | undefined,
  database: string,
  schema: string | undefined,
): string => {
  const user = username === undefined ? "" : encodeURIComponent(username)
  const isFolder = host.startsWith("/")
  // A URL without a host has no place for a user.
  const parameters = [
    ...(isFolder && user !== "" ? [`user=${user}`] : []),
    ...(isFolder ? [`host=${encodeURIComponent(host).replaceAll("%2F", "/")}`, `port=${port}`] : []),
    ...(schema === undefined ? [] : [`schema=${encodeURIComponent(schema)}`]),
  ].join("&")
  const authority = isFolder ? "" : `${user === "" ? "" : `${user}@`}${host.includes(":") ? `[${host}]` : host}:${port}`
  return `postgres://${authority}/${encodeURIComponent(database)}${parameters === "" ? "" : `?${parameters}`}`
}

/** Parses a location as the client does; `undefined` for a bad URL or port. */
export const parseLocation = (parts: LocationParts): PostgresLocation | undefined => {
  const url = parts.url === undefined ? undefined : parseUrl(parts.url)
  if (parts.url !== undefined && url === undefined) return undefined
  // A parameter overrides the same part of the URL.
  const fromUrl = (name: string, part: string | undefined): string | undefined => {
    const value = url?.searchParams.get(name) ?? decode(part ?? "")
    return value === "" ? undefined : value
  }
  const host = parts.host ?? fromUrl("host", url?.hostname.replace(/^\[(.*)\]$/, "$1")) ?? "localhost"
  const port = parts.port ?? Number(fromUrl("port", url?.port) ?? 5432)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const username = parts.username ?? fromUrl("user", url?.username)
  const database = parts.database ?? fromUrl("dbname", url?.pathname.slice(1)) ?? username ?? ""
  return {
    host,
    port,
    applicationName: fromUrl("application_name", undefined),
    text: format(host, port, username, database, parts.schema),
  }
}
