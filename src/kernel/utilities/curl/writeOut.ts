/** Formats `-w`. Source: curl(1) "--write-out". */

/** The facts about a transfer that `-w` shows. */
export interface TransferInfo {
  url: string
  urlEffective: string
  urlNumber: number
  method: string
  status: number
  version: string
  headers: ReadonlyArray<readonly [name: string, value: string]>
  redirects: number
  redirectUrl: string
  connects: number
  address: string
  headerBytes: number
  requestBytes: number
  downloaded: number
  uploaded: number
  connectSeconds: number
  startSeconds: number
  redirectSeconds: number
  totalSeconds: number
  filename: string
  exitCode: number
  error: string
}

export const emptyInfo = (url: string, urlNumber: number): TransferInfo => ({
  url,
  urlEffective: url,
  urlNumber,
  method: "GET",
  status: 0,
  version: "",
  headers: [],
  redirects: 0,
  redirectUrl: "",
  connects: 0,
  address: "",
  headerBytes: 0,
  requestBytes: 0,
  downloaded: 0,
  uploaded: 0,
  connectSeconds: 0,
  startSeconds: 0,
  redirectSeconds: 0,
  totalSeconds: 0,
  filename: "",
  exitCode: 0,
  error: "",
})

const seconds = (value: number): string => value.toFixed(6)

const portOf = (info: TransferInfo): string => {
  if (info.connects === 0 || !URL.canParse(info.urlEffective)) return "0"
  const { port, protocol } = new URL(info.urlEffective)
  return port === "" ? protocol === "https:" ? "443" : "80" : port
}

const speed = (bytes: number, { totalSeconds }: TransferInfo): string =>
  String(Math.floor(bytes / Math.max(totalSeconds, 0.000_001)))

const scheme = ({ urlEffective }: TransferInfo): string => /^(\w+):/.exec(urlEffective)?.[1]?.toUpperCase() ?? ""

const headerOf = (info: TransferInfo, name: string): string =>
  info.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? ""

const headerJson = ({ headers }: TransferInfo): string => {
  const byName = new Map<string, Array<string>>()
  for (const [name, value] of headers) {
    const values = byName.get(name.toLowerCase()) ?? []
    byName.set(name.toLowerCase(), values)
    values.push(value)
  }
  return `{${[...byName].map(([name, values]) => `${JSON.stringify(name)}:${JSON.stringify(values)}`).join(",\n")}\n}`
}

const pad = (status: number): string => String(status).padStart(3, "0")

const variables: Readonly<Record<string, (info: TransferInfo) => string>> = {
  content_type: (info) => headerOf(info, "content-type"),
  errormsg: ({ error }) => error,
  exitcode: ({ exitCode }) => String(exitCode),
  filename_effective: ({ filename }) => filename,
  header_json: headerJson,
  http_code: ({ status }) => pad(status),
  http_connect: () => "000",
  http_version: ({ version }) => /[\d.]+$/.exec(version)?.[0] ?? "0",
  method: ({ method }) => method,
  num_connects: ({ connects }) => String(connects),
  num_headers: ({ headers }) => String(headers.length),
  num_redirects: ({ redirects }) => String(redirects),
  redirect_url: ({ redirectUrl }) => redirectUrl,
  referer: () => "",
  remote_ip: ({ address }) => address,
  remote_port: portOf,
  response_code: ({ status }) => pad(status),
  scheme,
  size_download: ({ downloaded }) => String(downloaded),
  size_header: ({ headerBytes }) => String(headerBytes),
  size_request: ({ requestBytes }) => String(requestBytes),
  size_upload: ({ uploaded }) => String(uploaded),
  speed_download: (info) => speed(info.downloaded, info),
  speed_upload: (info) => speed(info.uploaded, info),
  time_connect: ({ connectSeconds }) => seconds(connectSeconds),
  time_pretransfer: ({ connectSeconds }) => seconds(connectSeconds),
  time_redirect: ({ redirectSeconds }) => seconds(redirectSeconds),
  time_starttransfer: ({ startSeconds }) => seconds(startSeconds),
  time_total: ({ totalSeconds }) => seconds(totalSeconds),
  url: ({ url }) => url,
  url_effective: ({ urlEffective }) => urlEffective,
  urlnum: ({ urlNumber }) => String(urlNumber),
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

/** Yields texts with their outputs, piece by piece, because a format may be long, and each variable, too. */
export function* writeOut(format: string, info: TransferInfo): Generator<readonly ["stdout" | "stderr", string]> {
  let to: "stdout" | "stderr" = "stdout"
  const token = /%header\{([^}]*)\}|%\{([^}]*)\}|%%|\\[nrt]|[^%\\]+|[^]/y
  // Does not search for a brace behind the last one: otherwise a format with many `%{` would be read to its end for
  // each.
  const end = format.lastIndexOf("}") + 1
  const rest = /%%|\\[nrt]|[^%\\]+|[^]/y
  for (let at = 0; at < format.length;) {
    const pattern = at < end ? token : rest
    pattern.lastIndex = at
    const [whole = "", header, name] = pattern.exec(format) ?? []
    at += whole.length
    if (header !== undefined) yield [to, headerOf(info, header)]
    else if (name === "stdout" || name === "stderr") to = name
    else if (name === "onerror") {
      if (info.exitCode === 0) return
    } else if (name !== undefined) {
      const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
      yield variable === undefined
        ? ["stderr", `curl: unknown --write-out variable: '${name}'\n`]
        : [to, variable(info)]
    } else if (whole === "%%") yield [to, "%"]
    else yield [to, whole[0] === "\\" ? escapes[whole[1] ?? ""] ?? whole : whole]
  }
}
