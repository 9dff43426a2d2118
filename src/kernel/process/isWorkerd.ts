/**
 * Detects the workerd runtime (Cloudflare Workers), where some APIs of Node and the web exist only by name.
 * Source: https://developers.cloudflare.com/workers/runtime-apis/web-standards/ "Navigator.userAgent".
 */
export const isWorkerd: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers"
