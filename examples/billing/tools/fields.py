"""Parameter types that several tools share, each with who may decide it."""

from datetime import date
from typing import Annotated

from activities.tools import Control, ControlledBy, Ref

#: For what is looked up or computed: an input, the designer, or the agent's choice.
ANYONE = ControlledBy(Control.INPUT, Control.FIXED, Control.AGENT)
#: For what commits the company: never the agent's choice.
NOT_THE_AGENT = ControlledBy(Control.INPUT, Control.FIXED)

CustomerCode = Annotated[str, ANYONE, Ref("billing.customer")]
InvoiceNumber = Annotated[str, ANYONE, Ref("billing.invoice")]
PaymentNumber = Annotated[str, ANYONE, Ref("billing.payment")]
OptionalCustomer = Annotated[str | None, ANYONE, Ref("billing.customer")]
OptionalDay = Annotated[date | None, ANYONE]
