package perflab.lab

/** The words of a command line, built from named arguments. */
internal class Arguments {
    private val collected = mutableListOf<String>()

    val words: List<String> get() = collected

    /** A positional argument. */
    fun word(value: String) {
        collected += value
    }

    /** `--name value`, unless there is no value. */
    fun option(
        name: String,
        value: Any?,
    ) {
        if (value != null) collected += listOf("--$name", value.toString())
    }

    /** `--name value` for each of the values. */
    fun each(
        name: String,
        values: Iterable<Any>,
    ): Unit = values.forEach { option(name, it) }

    /** `--name`, if wanted. */
    fun flag(
        name: String,
        wanted: Boolean,
    ) {
        if (wanted) collected += "--$name"
    }

    /** `--param key=value` for each of the parameters. */
    fun params(values: Map<String, Any>): Unit = each("param", values.map { (key, value) -> "$key=$value" })
}
