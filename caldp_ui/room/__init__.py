"""The page that asks a room full of phones, which throw the coins and send only reports."""
