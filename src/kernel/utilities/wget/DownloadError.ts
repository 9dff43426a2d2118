/** Defines the failure of a download, with the exit code and the message of wget. */
import type { HttpFailure } from "../../System.ts"

/** Exit codes. Source: wget(1) "EXIT STATUS". */
export const WgetExit = { generic: 1, parse: 2, file: 3, network: 4, certificate: 5, protocol: 7, server: 8 } as const

export class DownloadError extends Error {
  readonly exitCode: number
  readonly canRetry: boolean

  constructor(exitCode: number, message: string, canRetry = false) {
    super(message)
    this.exitCode = exitCode
    this.canRetry = canRetry
  }
}

/** The failure for which there is no response. */
export const requestFailure = ({ message, reason }: HttpFailure, host: string, port: string): DownloadError => {
  const connecting = `Connecting to ${host}:${port}... `
  switch (reason) {
    case "NotFound":
      return new DownloadError(
        WgetExit.network,
        `Resolving ${host} (${host})... failed: Name or service not known.\nwget: unable to resolve host address ‘${host}’\n`,
      )
    case "Connect":
      return new DownloadError(WgetExit.network, `${connecting}failed: Connection refused.\n`)
    case "NotAllowed":
      return new DownloadError(
        WgetExit.network,
        `${connecting}refused by the network policy of the sandbox: ${message}\n`,
      )
    case "Tls":
    case "Certificate":
      return new DownloadError(WgetExit.certificate, `ERROR: cannot verify ${host}'s certificate: ${message}\n`)
    case "ConnectTimeout":
      return new DownloadError(WgetExit.network, `${connecting}failed: Connection timed out.\n`, true)
    case "Timeout":
      return new DownloadError(WgetExit.network, "Read error (Connection timed out) in headers.\n", true)
    case "NoResponse":
      return new DownloadError(WgetExit.network, "No data received.\n", true)
    case "Reset":
      return new DownloadError(WgetExit.network, "Read error (Connection reset by peer) in headers.\n", true)
    default:
      return new DownloadError(WgetExit.protocol, `${message}\n`)
  }
}
