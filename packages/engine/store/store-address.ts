/** Say no to an address that cannot be one, without repeating the password in it. `setting` is where it
 *  was said. */
export function requireStoreAddress(setting: string, address: string) {
  if (!/^postgres(ql)?:\/\//.test(address))
    throw new Error(
      `${setting} is no address of a store: it begins with postgres://; without one, the data folder is it`,
    )
  if (!isReadable(address))
    throw new Error(
      `${setting} cannot be read as postgres://USER@HOST/DATABASE: write what is no letter or ` +
        "digit in its password as %2F and the like, or leave the password out and set PGPASSWORD",
    )
}

/** An `@` that ends up behind the host was to stand before it: the password holds a `/`, `?` or `#`. */
function isReadable(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return false
  try {
    for (const piece of [url.username, url.password, url.pathname]) decodeURIComponent(piece)
  } catch {
    return false
  }
  return (
    !`${url.pathname}${url.hash}`.includes("@") &&
    !(url.username === "" && url.search.includes("@"))
  )
}

/** The address as it may be shown. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (!url) return "postgres://…"
  if (url.password) url.password = "…"
  url.searchParams.delete("password")
  return decodeURIComponent(url.href)
}
