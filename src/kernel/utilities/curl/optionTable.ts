/** Lists the options of curl 7.88: the supported ones, and for the others a replacement. Source: curl(1). */

export interface CurlOption {
  readonly name: string
  /** `refused`: it is not supported. */
  readonly kind: "flag" | "text" | "refused"
  readonly hint: string
}

/**
 * Words are names, with the letter of the short form after a colon. Some have nothing to do: each read is written at once
 * (`buffer`, `tcp-nodelay`), no configuration file is read (`disable`), only HTTP/1.1 is spoken (`http1.1`), with TLS 1.2 or 1.3
 * (`tlsv1…`), and Basic is what `-u` sends (`basic`).
 */
const flags = `basic buffer:N compressed create-dirs disable:q fail:f fail-early fail-with-body get:G globoff:g head:I
  http1.1 include:i junk-session-cookies:j location:L location-trusted next:: post301 post302 post303 progress-bar:#
  progress-meter remote-header-name:J remote-name:O remote-name-all remote-time:R remove-on-error retry-all-errors
  retry-connrefused show-error:S silent:s styled-output tcp-nodelay tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2 verbose:v help:h version:V`

const texts =
  `config:K connect-timeout continue-at:C cookie:b cookie-jar:c data:d data-ascii data-binary data-raw data-urlencode
  dump-header:D form:F form-string header:H json max-filesize max-redirs max-time:m oauth2-bearer output:o output-dir proto
  proto-default proto-redir range:r referer:e request:X retry retry-delay retry-max-time stderr time-cond:z upload-file:T url
  url-query user:u user-agent:A write-out:w`

const refused: ReadonlyArray<readonly [hint: string, names: string]> = [
  [
    "the network policy of the sandbox decides which server is connected to",
    `proxy:x preproxy proxy-anyauth proxy-basic proxy-digest proxy-header proxy-insecure proxy-negotiate proxy-ntlm
    proxy-pass proxy-user:U proxy1.0 proxytunnel:p noproxy socks4 socks4a socks5 socks5-basic socks5-gssapi socks5-hostname
    resolve connect-to interface local-port unix-socket abstract-unix-socket dns-interface dns-ipv4-addr dns-ipv6-addr
    dns-servers doh-insecure doh-url doh-cert-status happy-eyeballs-timeout-ms haproxy-protocol ipv4:4 ipv6:6`,
  ],
  [
    "the host of the sandbox makes TLS connections and checks certificates",
    `insecure:k cacert capath cert:E cert-status cert-type ciphers crlfile curves engine key key-type pass pinnedpubkey ssl
    ssl-reqd ssl-allow-beast ssl-no-revoke sslv2:2 sslv3:3 tls-max tls13-ciphers tlsv1.3 tlsauthtype tlspassword tlsuser alpn
    npn sessionid false-start hsts alt-svc http1.0:0 http2 http2-prior-knowledge http3 http3-only http0.9 tcp-fastopen
    keepalive keepalive-time`,
  ],
  ["run several curl processes, as xargs -P does", "parallel:Z parallel-immediate parallel-max"],
  [
    "use -u for Basic, or -H",
    `digest ntlm ntlm-wb negotiate anyauth delegation aws-sigv4 netrc:n netrc-file netrc-optional login-options service-name
    sasl-authzid sasl-ir krb`,
  ],
  ["use -v, -D or -w", "trace trace-ascii trace-time libcurl"],
  [
    "only HTTP and HTTPS are here",
    `append:a crlf disable-eprt disable-epsv ftp-account ftp-alternative-to-user ftp-create-dirs ftp-method ftp-pasv ftp-port:P
    ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control hostpubmd5 hostpubsha256 list-only:l mail-auth mail-from mail-rcpt
    mail-rcpt-allowfails metalink pubkey quote:Q telnet-option:t tftp-blksize tftp-no-options use-ascii:B compressed-ssh`,
  ],
  [
    "do without it",
    `clobber create-file-mode disallow-username-in-url egd-file etag-compare etag-save expect100-timeout form-escape
    ignore-content-length limit-rate manual:M path-as-is random-file rate raw request-target speed-limit:Y speed-time:y
    suppress-connect-headers tr-encoding xattr`,
  ],
]

const parse = (names: string, kind: CurlOption["kind"], hint = ""): ReadonlyArray<readonly [string, CurlOption]> =>
  names.trim().split(/\s+/).flatMap((word) => {
    const [, name = "", letter] = /^([^:]+)(?::(.))?$/.exec(word) ?? []
    const option = { name, kind, hint }
    return [[`--${name}`, option] as const, ...(letter === undefined ? [] : [[`-${letter}`, option] as const])]
  })

/** Options by `--name` and `-n`. */
export const curlOptions: ReadonlyMap<string, CurlOption> = new Map([
  ...parse(flags, "flag"),
  ...parse(texts, "text"),
  ...refused.flatMap(([hint, names]) => parse(names, "refused", hint)),
])
