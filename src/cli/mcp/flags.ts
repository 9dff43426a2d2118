/**
 * The flags of `sluice mcp`.
 *
 * @module
 */
import type { FlagSpec } from "../flags.ts"

/** Each flag by its name. */
export const mcpFlags: Readonly<Record<string, FlagSpec>> = {
  "timeout": {
    kind: "value",
    metavar: "T",
    about: "Longest run of a command whose caller names no other, as in 500ms, 5s, 2m. Default: 30s",
  },
  "max-output": {
    kind: "value",
    metavar: "SIZE",
    about: "Output that an answer may have, as in 64K, 1M; more is left out of the middle. Default: 1M",
  },
  "journal": {
    kind: "value",
    metavar: "WHERE",
    about: "Journal of what is run; its commands are resources. Default: SLUICE_JOURNAL, else none",
  },
  "http": { kind: "value", metavar: "PORT", about: "Serve over HTTP on this port; 0 is any that is free" },
  "host": { kind: "value", metavar: "HOST", about: "Address to listen on, with --http. Default: 127.0.0.1" },
  "token": {
    kind: "value",
    metavar: "T",
    about: "What clients must send as Authorization: Bearer T, with --http. Default: SLUICE_TOKEN, else a new one",
  },
  "allow-host": {
    kind: "list",
    metavar: "HOST",
    about: "Host that requests may be for, with --http, once or several times. Default: this machine's own names",
  },
  "allow-origin": {
    kind: "list",
    metavar: "ORIGIN",
    about: "Origin of web pages that may send requests, with --http, once or several times. Default: none",
  },
}
