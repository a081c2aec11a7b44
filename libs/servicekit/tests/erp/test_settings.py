"""What may stand where a setting names something of the ERP."""

import pytest

from servicekit.erp.settings import service_layer_url, user_field


@pytest.mark.parametrize("url", ["https://10.0.0.5:50000/b1s/v1", "http://erp.example.cl/b1s/v2"])
def test_an_address_of_the_service_layer_ends_with_its_version(url: str) -> None:
    assert service_layer_url().read(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.5:50000/b1s",
        "https://10.0.0.5/b1s/v3",
        "https://10.0.0.5/b1s/v1/Orders",
        "ftp://e/v1",
        "",
    ],
)
def test_an_address_without_its_version_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        service_layer_url().read(url)


@pytest.mark.parametrize("name", ["U_GW_Clave", "U_1", "U_" + "a" * 48])
def test_a_user_field_is_named_with_its_prefix(name: str) -> None:
    assert user_field().read(name) == name


@pytest.mark.parametrize("name", ["GW_Clave", "u_Clave", "U_", "U_Ñ", "U_a b", "U_" + "a" * 49, "U_a)", ""])
def test_what_is_no_user_field_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        user_field().read(name)
