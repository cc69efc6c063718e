// Small archives in formats that nothing here writes. Each says what it unpacks to.

/** A tar with `../evil.txt`. */
export const SLIP_TAR_BZ2 = Buffer.from(
  [
    "QlpoOTFBWSZTWYrlSNEAAFt7gMmAAAFAAdeAAgBiJB9ACAggAFQ0mkyNMI2ppoeUEioaNNGgADf9yKkIObEIRj1l",
    "Eco2oEMGYTvc4CgxCGQPmXFxBImLt0o9HisyKwnQiID8XckU4UJCK5UjRA==",
  ].join(""),
  "base64",
)

/** A tar with `a.txt`: "hello bzip2\n", 500 times. */
export const TAR_BZ2 = Buffer.from(
  [
    "QlpoOTFBWSZTWVyNJyYAAyzboNiQQAF/gAAIcmTeUAAQCAggAJUGU1MhoPUDagAAipRoyYagwJkab1TaqJSRpoBC",
    "3aonTXLqISCYIq8tQRVZYYuIg4ESQhL+ACCSVaSxe0YvQetaAQSTqCKuKgqxAIq/ARV3ARV3BFXHiI/cTgEVfIB/",
    "F3JFOFCQXI0nJg==",
  ].join(""),
  "base64",
)

/** 3,000 bytes, each `(i * i * 7 + i) % 251`. */
export const BYTES_BZ2 = Buffer.from(
  [
    "QlpoOTFBWSZTWTsoXeAAAAv//83PWRtE2Cn8cd7eDWr3fBEKlPhIRxwGvk3SdlDE1FugQAK8AAAHAAAAAAAAAAAA",
    "AAAAAAAAADgAAAAAAAAAAAAAAAAAAAABwAAAAAAAAAAAAAAAAAAAAAKVVKZGgGIGgBoNNMj0RkPSaYjaEyMNT01H",
    "hQ9TZTT0T1HinhomjKeOW9p+esXrFkFil6NPJLMLml6pbwu6WIX+lyywFxS1i5JaBdItEsUt0vlLQLGLl09guOXH",
    "LULtFzC4ZcosMvqLCLAWMWqX6F3yzy7JfIWmW8L8S4JYxYhbJZpaRaVMwvrLULSLJL2izKfQWOXYLtl2S/csQs8u",
    "mWyXnFklklrlrlsFsF/BZhdwt+XVLtFnl6RZ5b4vDT3C0C5Rbhe/TDLILdL0C75cItMsQtUsgvXLKLjFmFlF1C0y",
    "4xe8X6lpl8Ja1OqWqXILdLcLoF/JbhZ5cgu6X5FllnF2i3xd0tovpLMLrFvy0CwFgLZLZLoF3C4RaRd4uaWcXRLa",
    "Lyiyi7BZpYpbZcAu8XDLULULnF+xZf3lhU6VO2WiXslllilkFzy8JeEtgtgtQuCX9FxCzSwy2qYC8BYVMguiWqXn",
    "liljl/xcAtEvdLrF1y2y2y2S2ywFhF+BdQuUXcLKLnlrF5ZbZbheAtwuIX9lolxS3pa5cwscuuXTLzC1C8BeItkt",
    "wvEWdTDLAW9LNLk00C+At0tov/F3JFOFCQOyhd4A",
  ].join(""),
  "base64",
)

/** 45,000,000 zeros. */
export const ZEROS_BZ2 = Buffer.from(
  ["QlpoOTFBWSZTWckBtsgBWKtAIMAAEAAACCAAMMwFKaZSSFJsVJIUni7kinChIZIDbZA="].join(""),
  "base64",
)

/** A tar with `../evil.txt`. */
export const SLIP_TAR_XZ = Buffer.from(
  [
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AGBdABdguMp2M67AFpUzflG5yE2VQQfUR7vT4qedK/jmWJvHSkiG",
    "mTiAtD2CFaA6NThhAMzq5RGwv76ix+2jD8Z9M7xgL3nDyWdb6XxM+aV5AiwLQ7Xnk8syzirR88ECOWEAAACatJQ6",
    "ON/Y5QABfIBQAAAAV6ZexbHEZ/sCAAAAAARZWg==",
  ].join(""),
  "base64",
)

/** A tar with `a.txt`: "hello xz\n", 500 times. */
export const TAR_XZ = Buffer.from(
  [
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AGddADCLiofEDvKXpPh1PcWp7dmZuxLRS+CbmhS3YIglCUcAeE8j",
    "zOLsocpcfnlKC80c4HJXrj2xvxjZtDGrB0KBSK8F97UNEvEP5q9xy4zL1Soi8Dipzp8+Waqi0imLPhMpKOQ+sMdT",
    "AAAAAPawcjBq0O/7AAGDAYBQAACQA/TnscRn+wIAAAAABFla",
  ].join(""),
  "base64",
)

/** 1,600,000 zeros. */
export const ZEROS_XZ = Buffer.from(
  [
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj+Gn/ASddAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFL",
    "sX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v",
    "+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWl",
    "sO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1",
    "O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVP49ZE2MQWkFcdzAAAAAICB",
    "5qgBZAmdAAHDAoDUYQCWmtY1scRn+wIAAAAABFla",
  ].join(""),
  "base64",
)

/** `größe 😀.txt`: "two\\n", `plain.txt`: empty, `日本.txt`: "one\\n", its header packed. */
export const NAMES_7Z = Buffer.from(
  [
    "N3q8ryccAASAkKtnhgAAAAAAAAAhAAAAAAAAAKXhyg4BAAd0d28Kb25lCgAAAIEzB64PzpwGxQkqrtOqhSYoExi7",
    "AyVnHGkduqm5r6hsRjI8FE2Y1NQaWlmK3TTxvpXiI0YLp0PB7WZzHNCWH6cdVxbTeP6ZTtHTNpg/RsNviKlD+YMy",
    "R/5kljXsY0AcU2a0F3jkIlTso3JJQlXFh6ncMP0j7AAAABcGDAEJegAHCwEAASMDAQEFXQAQAAAMgJoKAY2XkvkA",
    "AA==",
  ].join(""),
  "base64",
)
