import { fileURLToPath } from "node:url"

const fixture = fileURLToPath(new URL("../fixtures/heartbeat.sh", import.meta.url))

/**
 * Writes the last command of a shell script: it appends a dot to a file every 20 ms, so that the file grows for as long
 * as the process lives. It ends by itself after two minutes and when the file's directory is gone: a test that is killed
 * leaves nothing behind.
 */
export const heartbeat = (file: string): string => `exec sh '${fixture}' '${file}'`
