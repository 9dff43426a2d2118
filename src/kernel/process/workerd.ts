/**
 * An isolate of Cloudflare's: some of what it shows of Node and of the web is only there by name.
 *
 * Source: https://developers.cloudflare.com/workers/runtime-apis/web-standards/ "Navigator.userAgent".
 *
 * @module
 */

/** Whether this is workerd. */
export const isWorkerd: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers"
