"""Read-only checks of an installation and the systems that it talks to, run one after another.

```python
NO_ADDRESS = fail(
    "name_unknown", "El nombre no se puede resolver.", remedy="Corrija ERP_SL_URL o el DNS de este servidor."
)

class NameChecks(Checks):
    group = Group("network", "docs/doctor.md#network")

    @declares_check("name", "Nombre del servidor", NO_ADDRESS)
    async def _name(self) -> Finding:
        try:
            addresses = await resolve(host)
        except OSError:
            return NO_ADDRESS.found(host)
        return ok(", ".join(addresses), addresses=len(addresses))

results = await run_checks(chosen(NameChecks().checks(), only=()), clock=SystemClock())
```

Facts that only people may read (hosts, users) go into `seen`. The JSON contains fixed sentences, words and
figures.
"""
